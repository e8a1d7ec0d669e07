#include "providers/emulator/fields.hpp"
#include "providers/emulator/gcp/api.hpp"

namespace vt::emulator::gcp {

namespace {

// Names and types of the messages that a client sends us, as the Compute Engine v1 API description of revision 20250729 gives them
// (https://compute.googleapis.com/$discovery/rest?version=v1). Nested messages without a name of their own are called PARENT.field. No
// field is required there; what a method cannot do without is checked where it is used.
const std::vector<Message> kMessages{
    {"Instance",
     "advancedMachineFeatures:AdvancedMachineFeatures canIpForward:b confidentialInstanceConfig:ConfidentialInstanceConfig"
     " cpuPlatform:s creationTimestamp:s deletionProtection:b description:s disks:*AttachedDisk displayDevice:DisplayDevice"
     " fingerprint:s guestAccelerators:*AcceleratorConfig hostname:s id:l instanceEncryptionKey:CustomerEncryptionKey"
     " keyRevocationActionType:s kind:s labelFingerprint:s labels:%s lastStartTimestamp:s lastStopTimestamp:s"
     " lastSuspendedTimestamp:s machineType:s metadata:Metadata minCpuPlatform:s name:s networkInterfaces:*NetworkInterface"
     " networkPerformanceConfig:NetworkPerformanceConfig params:InstanceParams privateIpv6GoogleAccess:s"
     " reservationAffinity:ReservationAffinity resourcePolicies:*s resourceStatus:ResourceStatus satisfiesPzi:b"
     " satisfiesPzs:b scheduling:Scheduling selfLink:s serviceAccounts:*ServiceAccount"
     " shieldedInstanceConfig:ShieldedInstanceConfig shieldedInstanceIntegrityPolicy:ShieldedInstanceIntegrityPolicy"
     " sourceMachineImage:s sourceMachineImageEncryptionKey:CustomerEncryptionKey startRestricted:b status:s statusMessage:s"
     " tags:Tags zone:s"},
    {"AdvancedMachineFeatures",
     "enableNestedVirtualization:b enableUefiNetworking:b performanceMonitoringUnit:s threadsPerCore:i turboMode:s"
     " visibleCoreCount:i"},
    {"ConfidentialInstanceConfig", "confidentialInstanceType:s enableConfidentialCompute:b"},
    {"AttachedDisk",
     "architecture:s autoDelete:b boot:b deviceName:s diskEncryptionKey:CustomerEncryptionKey diskSizeGb:l forceAttach:b"
     " guestOsFeatures:*GuestOsFeature index:i initializeParams:AttachedDiskInitializeParams interface:s kind:s licenses:*s"
     " mode:s savedState:s shieldedInstanceInitialState:InitialStateConfig source:s type:s"},
    {"CustomerEncryptionKey", "kmsKeyName:s kmsKeyServiceAccount:s rawKey:s rsaEncryptedKey:s sha256:s"},
    {"GuestOsFeature", "type:s"},
    {"AttachedDiskInitializeParams",
     "architecture:s description:s diskName:s diskSizeGb:l diskType:s enableConfidentialCompute:b labels:%s licenses:*s"
     " onUpdateAction:s provisionedIops:l provisionedThroughput:l replicaZones:*s resourceManagerTags:%s resourcePolicies:*s"
     " sourceImage:s sourceImageEncryptionKey:CustomerEncryptionKey sourceSnapshot:s"
     " sourceSnapshotEncryptionKey:CustomerEncryptionKey storagePool:s"},
    {"InitialStateConfig", "dbs:*FileContentBuffer dbxs:*FileContentBuffer keks:*FileContentBuffer pk:FileContentBuffer"},
    {"FileContentBuffer", "content:s fileType:s"},
    {"DisplayDevice", "enableDisplay:b"},
    {"AcceleratorConfig", "acceleratorCount:i acceleratorType:s"},
    {"Metadata", "fingerprint:s items:*Metadata.items kind:s"},
    {"Metadata.items", "key:s value:s"},
    {"NetworkInterface",
     "accessConfigs:*AccessConfig aliasIpRanges:*AliasIpRange fingerprint:s internalIpv6PrefixLength:i"
     " ipv6AccessConfigs:*AccessConfig ipv6AccessType:s ipv6Address:s kind:s name:s network:s networkAttachment:s"
     " networkIP:s nicType:s queueCount:i stackType:s subnetwork:s"},
    {"AccessConfig",
     "externalIpv6:s externalIpv6PrefixLength:i kind:s name:s natIP:s networkTier:s publicPtrDomainName:s securityPolicy:s"
     " setPublicPtr:b type:s"},
    {"AliasIpRange", "ipCidrRange:s subnetworkRangeName:s"},
    {"NetworkPerformanceConfig", "totalEgressBandwidthTier:s"},
    {"InstanceParams", "resourceManagerTags:%s"},
    {"ReservationAffinity", "consumeReservationType:s key:s values:*s"},
    {"ResourceStatus",
     "physicalHost:s physicalHostTopology:ResourceStatusPhysicalHostTopology scheduling:ResourceStatusScheduling"
     " upcomingMaintenance:UpcomingMaintenance"},
    {"ResourceStatusPhysicalHostTopology", "block:s cluster:s host:s subblock:s"},
    {"ResourceStatusScheduling", "availabilityDomain:i"},
    {"UpcomingMaintenance",
     "canReschedule:b latestWindowStartTime:s maintenanceOnShutdown:b maintenanceReasons:*s maintenanceStatus:s type:s"
     " windowEndTime:s windowStartTime:s"},
    {"Scheduling",
     "automaticRestart:b availabilityDomain:i hostErrorTimeoutSeconds:i instanceTerminationAction:s"
     " localSsdRecoveryTimeout:Duration locationHint:s maxRunDuration:Duration minNodeCpus:i"
     " nodeAffinities:*SchedulingNodeAffinity onHostMaintenance:s onInstanceStopAction:SchedulingOnInstanceStopAction"
     " preemptible:b provisioningModel:s terminationTime:s"},
    {"Duration", "nanos:i seconds:l"},
    {"SchedulingNodeAffinity", "key:s operator:s values:*s"},
    {"SchedulingOnInstanceStopAction", "discardLocalSsd:b"},
    {"ServiceAccount", "email:s scopes:*s"},
    {"ShieldedInstanceConfig", "enableIntegrityMonitoring:b enableSecureBoot:b enableVtpm:b"},
    {"ShieldedInstanceIntegrityPolicy", "updateAutoLearnPolicy:b"},
    {"Tags", "fingerprint:s items:*s"},
    {"Disk",
     "accessMode:s architecture:s asyncPrimaryDisk:DiskAsyncReplication asyncSecondaryDisks:%DiskAsyncReplicationList"
     " creationTimestamp:s description:s diskEncryptionKey:CustomerEncryptionKey enableConfidentialCompute:b"
     " guestOsFeatures:*GuestOsFeature id:l kind:s labelFingerprint:s labels:%s lastAttachTimestamp:s lastDetachTimestamp:s"
     " licenseCodes:*l licenses:*s locationHint:s name:s options:s params:DiskParams physicalBlockSizeBytes:l"
     " provisionedIops:l provisionedThroughput:l region:s replicaZones:*s resourcePolicies:*s"
     " resourceStatus:DiskResourceStatus satisfiesPzi:b satisfiesPzs:b selfLink:s sizeGb:l sourceConsistencyGroupPolicy:s"
     " sourceConsistencyGroupPolicyId:s sourceDisk:s sourceDiskId:s sourceImage:s"
     " sourceImageEncryptionKey:CustomerEncryptionKey sourceImageId:s sourceInstantSnapshot:s sourceInstantSnapshotId:s"
     " sourceSnapshot:s sourceSnapshotEncryptionKey:CustomerEncryptionKey sourceSnapshotId:s sourceStorageObject:s status:s"
     " storagePool:s type:s users:*s zone:s"},
    {"DiskAsyncReplication", "consistencyGroupPolicy:s consistencyGroupPolicyId:s disk:s diskId:s"},
    {"DiskAsyncReplicationList", "asyncReplicationDisk:DiskAsyncReplication"},
    {"DiskParams", "resourceManagerTags:%s"},
    {"DiskResourceStatus",
     "asyncPrimaryDisk:DiskResourceStatusAsyncReplicationStatus"
     " asyncSecondaryDisks:%DiskResourceStatusAsyncReplicationStatus"},
    {"DiskResourceStatusAsyncReplicationStatus", "state:s"},
    {"Image",
     "architecture:s archiveSizeBytes:l creationTimestamp:s deprecated:DeprecationStatus description:s diskSizeGb:l"
     " enableConfidentialCompute:b family:s guestOsFeatures:*GuestOsFeature id:l imageEncryptionKey:CustomerEncryptionKey"
     " kind:s labelFingerprint:s labels:%s licenseCodes:*l licenses:*s name:s rawDisk:Image.rawDisk satisfiesPzi:b"
     " satisfiesPzs:b selfLink:s shieldedInstanceInitialState:InitialStateConfig sourceDisk:s"
     " sourceDiskEncryptionKey:CustomerEncryptionKey sourceDiskId:s sourceImage:s"
     " sourceImageEncryptionKey:CustomerEncryptionKey sourceImageId:s sourceSnapshot:s"
     " sourceSnapshotEncryptionKey:CustomerEncryptionKey sourceSnapshotId:s sourceType:s status:s storageLocations:*s"},
    {"DeprecationStatus", "deleted:s deprecated:s obsolete:s replacement:s state:s"},
    {"Image.rawDisk", "containerType:s sha1Checksum:s source:s"},
    {"InstancesSetLabelsRequest", "labelFingerprint:s labels:%s"},
    {"ZoneSetLabelsRequest", "labelFingerprint:s labels:%s"},
};

}  // namespace

const Fields& fields() {
  static const Fields table(kMessages);
  return table;
}

}  // namespace vt::emulator::gcp

#include "orchestrator/store/ledger.hpp"

#include <map>
#include <mutex>

#include "orchestrator/store/ballast.hpp"
#include "orchestrator/store/digest.hpp"
#include "orchestrator/store/files.hpp"
#include "orchestrator/store/identity.hpp"
#include "orchestrator/store/ledger_caps.hpp"
#include "orchestrator/store/ledger_rows.hpp"

namespace vt {

namespace {

/// Whatever `change` did to them: who the thing is and who is in charge of it are not its business.
void keep_identity(Resource& changed, const Resource& before) {
  changed.owner = before.owner, changed.generation = before.generation, changed.holder = before.holder;
}

void stamp_closing(Resource& changed, EpochMs now) {
  if (is_open(changed.state)) changed.closed = 0;
  else if (changed.closed == 0) changed.closed = now;
}

Status check_step(const Resource& before, const Resource& after) {
  if (before.state == after.state || may_follow(before.state, after.state)) return {};
  return fail(Errc::refused,
              before.owner.name + ": cannot go from " + std::string(name(before.state)) + " to " + std::string(name(after.state)));
}

}  // namespace

struct Ledger::Impl {
  std::unique_ptr<Database> db;
  const Clock& clock;
  Identity identity;
  Ballast ballast;
  std::mutex lock;                   ///< guards db and taken
  std::map<std::string, int> taken;  ///< generation at which this object took charge of a row

  Status write_whatever_it_takes(const std::function<Status()>& body);
  Result<Resource> held(const std::string& name);
  Status save(const Resource&, const std::string& why);
};

/// For rows that exist: on a full disk the ballast makes room. Not for new intents, which must not begin on a full disk.
Status Ledger::Impl::write_whatever_it_takes(const std::function<Status()>& body) {
  auto done = db->write(body);
  if (!done && done.error().code == Errc::disk_full && ballast.release()) return db->write(body);
  return done;
}

/// The row, with this process in charge of it. A row whose holder died is taken over on the way.
Result<Resource> Ledger::Impl::held(const std::string& name) {
  VT_TRY(auto row, read_resource(*db, name));
  if (!row) return fail(Errc::not_found, "the ledger has no " + name);
  auto before = taken.find(name);
  if (before != taken.end() && before->second != row->generation)
    return fail(Errc::refused, name + " was taken over (generation " + std::to_string(row->generation) + ", ours was " +
                                   std::to_string(before->second) + ")");
  auto self = this_holder();
  if (row->holder == self) return std::move(*row);
  if (is_alive(row->holder)) return fail(Errc::refused, name + " is in the charge of another process (" + row->holder + ")");
  row->holder = self, ++row->generation;
  return std::move(*row);
}

Status Ledger::Impl::save(const Resource& row, const std::string& why) {
  VT_CHECK(update_resource(*db, row));
  return append_event(*db, row, why, clock.wall());
}

Ledger::Ledger(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Ledger::~Ledger() = default;

Result<std::unique_ptr<Ledger>> Ledger::open(const std::string& state_dir, const Clock& clock) {
  VT_CHECK(make_private_folder(state_dir));
  VT_TRY(auto folder, real_path(state_dir));
  VT_TRY(auto db, Database::open(folder + "/ledger.db", Database::Access::write, kLedgerSchema));
  VT_TRY(auto identity, identity_of(*db, folder, clock.wall()));
  Ballast ballast(folder);
  // Without room for it the ledger still opens: what is open must be closed. plan() asks again and insists.
  if (auto filled = ballast.fill(); !filled && filled.error().code != Errc::disk_full) return fail(filled.error());
  return std::unique_ptr<Ledger>(
      new Ledger(std::unique_ptr<Impl>(new Impl{std::move(db), clock, std::move(identity), std::move(ballast), {}, {}})));
}

Result<Ownership> Ledger::new_ownership(const std::string& provider, const std::string& account, Duration lease) {
  Ownership owner;
  owner.install = impl_->identity.install;
  owner.attempt = base32(random_bytes(10));
  owner.name = "vt-" + owner.install + "-" + owner.attempt;
  owner.expires = (impl_->clock.wall() + lease.count()) / 1000 * 1000;  // providers' labels carry whole seconds
  owner.token = impl_->identity.token(owner, provider, account);
  return owner;
}

bool Ledger::is_ours(const Ownership& owner, const std::string& provider, const std::string& account) const {
  return impl_->identity.is_ours(owner, provider, account);
}

InstallKey Ledger::key() const { return impl_->identity; }

Status Ledger::plan(const Resource& resource, const Caps& caps) {
  std::lock_guard hold(impl_->lock);
  auto row = resource;
  row.state = ResourceState::planned;
  row.holder = this_holder();
  if (row.created == 0) row.created = impl_->clock.wall();
  VT_CHECK(impl_->ballast.fill());
  auto insert = [&]() -> Status {
    VT_TRY(auto used, used_by(*impl_->db, row.run, row.layer, impl_->clock.wall()));
    VT_CHECK(check_caps(caps, used, row));
    VT_CHECK(insert_resource(*impl_->db, row));
    return append_event(*impl_->db, row, "planned", impl_->clock.wall());
  };
  VT_CHECK(impl_->db->write(insert));
  impl_->taken[row.owner.name] = row.generation;
  return {};
}

Status Ledger::update(const std::string& name, const std::string& why, const std::function<void(Resource&)>& change) {
  std::lock_guard hold(impl_->lock);
  int generation = 0;
  auto apply = [&]() -> Status {
    VT_TRY(auto before, impl_->held(name));
    auto after = before;
    change(after);
    keep_identity(after, before);
    VT_CHECK(check_step(before, after));
    stamp_closing(after, impl_->clock.wall());
    generation = after.generation;
    return impl_->save(after, why);
  };
  VT_CHECK(impl_->write_whatever_it_takes(apply));
  impl_->taken[name] = generation;
  return {};
}

Status Ledger::take_over(const std::string& name) {
  std::lock_guard hold(impl_->lock);
  int generation = 0;
  auto take = [&]() -> Status {
    VT_TRY(auto row, read_resource(*impl_->db, name));
    if (!row) return fail(Errc::not_found, "the ledger has no " + name);
    auto former = std::exchange(row->holder, this_holder());
    if (former != row->holder && is_alive(former) && row->lease_until > impl_->clock.wall())
      return fail(Errc::refused, name + " is in the charge of another process (" + former + ")");
    generation = ++row->generation;
    return impl_->save(*row, "taken over from " + former);
  };
  VT_CHECK(impl_->write_whatever_it_takes(take));
  impl_->taken[name] = generation;
  return {};
}

Result<std::optional<Resource>> Ledger::find(const std::string& name) const {
  std::lock_guard hold(impl_->lock);
  return read_resource(*impl_->db, name);
}

Result<std::vector<Resource>> Ledger::open_resources() const {
  VT_TRY(auto rows, all());
  std::erase_if(rows, [](const Resource& r) { return !is_open(r.state); });
  return rows;
}

Result<std::vector<Resource>> Ledger::all() const {
  std::lock_guard hold(impl_->lock);
  return read_resources(*impl_->db, "ORDER BY number", {});
}

Result<std::vector<Resource>> Ledger::of_run(const std::string& run) const {
  std::lock_guard hold(impl_->lock);
  return read_resources(*impl_->db, "WHERE run = ? ORDER BY number", {run});
}

Result<std::optional<Money>> Ledger::room(const Caps& caps, const std::string& run, const std::string& layer) const {
  std::lock_guard hold(impl_->lock);
  VT_TRY(auto used, used_by(*impl_->db, run, layer, impl_->clock.wall()));
  return room_under(caps, used);
}

bool Ledger::holder_alive(const Resource& resource) { return is_alive(resource.holder); }

}  // namespace vt

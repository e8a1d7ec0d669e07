#pragma once
#include "kernels/bf16.hpp"

// Convolutions as matrix products. Images are bf16 and lie as [image][row][column][channel], so that a matrix with a row for every pixel
// is the same memory. Sums are gathered, never scattered: one order, the same bits every time.

namespace vt::kernels {

/// Square images of `size` with `channels`, seen by a square window of `window` that goes `stride` at a time over images with an edge of
/// zeros of window / 2. `row` is the length of a row of the matrix: window · window · channels, rounded up to a multiple of 8.
/// The number of its chunks of 8, and of those of the images, is below 2^32.
struct Window {
  u32 images, size, channels, window, stride, out, row;
};
/// Where in a chunk's place of the images or the matrix something lies.
VT_FUNCTION u64 pixel_at(const Window& w, u32 image, u32 y, u32 x) { return (static_cast<u64>(image) * w.size + y) * w.size + x; }

/// The matrix with a row for every place of the window: what it sees there, by row, column and channel, then zeros.
VT_KERNEL vt_im2col(const u16* images, Window w, u16* columns) {
  u32 chunks = w.row / 8, edge = w.window / 2, used = w.window * w.window * w.channels;
  for (VT_EACH(i, static_cast<u64>(w.images) * w.out * w.out * chunks)) {
    u32 item = static_cast<u32>(i), first = item % chunks * 8, place = item / chunks;
    u32 across = place % w.out, down = place / w.out % w.out, image = place / w.out / w.out;
    Eight out = {};
    if (w.channels % 8 == 0) {
      u32 tap = first / w.channels, y = down * w.stride + tap / w.window - edge, x = across * w.stride + tap % w.window - edge;
      if (y < w.size && x < w.size) out = load_eight(images, (pixel_at(w, image, y, x) * w.channels + first % w.channels) / 8);
    } else {
      for (u32 e = 0; e < 8; ++e) {
        u32 tap = (first + e) / w.channels, y = down * w.stride + tap / w.window - edge, x = across * w.stride + tap % w.window - edge;
        if (first + e < used && y < w.size && x < w.size)
          out.at[e] = images[pixel_at(w, image, y, x) * w.channels + (first + e) % w.channels];
      }
    }
    reinterpret_cast<Eight*>(columns)[i] = out;
  }
}

/// The way back: every pixel gets the sum of what the matrix has of it. Channels in eights.
VT_KERNEL vt_col2im(const u16* columns, Window w, u16* images) {
  u32 chunks = w.channels / 8, edge = w.window / 2;
  for (VT_EACH(i, static_cast<u64>(w.images) * w.size * w.size * chunks)) {
    u32 item = static_cast<u32>(i), chunk = item % chunks, pixel = item / chunks;
    u32 x = pixel % w.size, y = pixel / w.size % w.size, image = pixel / w.size / w.size;
    float sum[kEight] = {};
    for (u32 ky = 0; ky < w.window; ++ky) {
      for (u32 kx = 0; kx < w.window; ++kx) {
        u32 down = y + edge - ky, across = x + edge - kx;  // wraps to something large if negative
        if (down % w.stride != 0 || across % w.stride != 0 || down / w.stride >= w.out || across / w.stride >= w.out) continue;
        u64 place = (static_cast<u64>(image) * w.out + down / w.stride) * w.out + across / w.stride;
        Eight part = load_eight(columns, place * (w.row / 8) + (ky * w.window + kx) * chunks + chunk);
        for (u64 e = 0; e < kEight; ++e) sum[e] += from_bf16(part.at[e]);
      }
    }
    store_eight(images, i, sum);
  }
}

/// The largest of what the window sees, and in `which` its number in the window. Channels in eights; `row` is not used.
VT_KERNEL vt_max_pool(const u16* images, Window w, u16* out, u8* which) {
  u32 chunks = w.channels / 8, edge = w.window / 2;
  for (VT_EACH(i, static_cast<u64>(w.images) * w.out * w.out * chunks)) {
    u32 item = static_cast<u32>(i), chunk = item % chunks, place = item / chunks;
    u32 across = place % w.out, down = place / w.out % w.out, image = place / w.out / w.out;
    float largest[kEight];
    u8 at[kEight] = {};
    for (u64 e = 0; e < kEight; ++e) largest[e] = -3.4e38F;
    for (u32 tap = 0; tap < w.window * w.window; ++tap) {
      u32 y = down * w.stride + tap / w.window - edge, x = across * w.stride + tap % w.window - edge;
      if (y >= w.size || x >= w.size) continue;
      Eight seen = load_eight(images, pixel_at(w, image, y, x) * chunks + chunk);
      for (u64 e = 0; e < kEight; ++e) {
        if (!(from_bf16(seen.at[e]) <= largest[e])) largest[e] = from_bf16(seen.at[e]), at[e] = static_cast<u8>(tap);
      }
    }
    store_eight(out, i, largest);
    for (u64 e = 0; e < kEight; ++e) which[i * kEight + e] = at[e];
  }
}
VT_KERNEL vt_max_pool_backward(const u16* d_out, const u8* which, Window w, u16* d_images) {
  u32 chunks = w.channels / 8, edge = w.window / 2;
  for (VT_EACH(i, static_cast<u64>(w.images) * w.size * w.size * chunks)) {
    u32 item = static_cast<u32>(i), chunk = item % chunks, pixel = item / chunks;
    u32 x = pixel % w.size, y = pixel / w.size % w.size, image = pixel / w.size / w.size;
    float sum[kEight] = {};
    for (u32 tap = 0; tap < w.window * w.window; ++tap) {
      u32 down = y + edge - tap / w.window, across = x + edge - tap % w.window;
      if (down % w.stride != 0 || across % w.stride != 0 || down / w.stride >= w.out || across / w.stride >= w.out) continue;
      u64 from = ((static_cast<u64>(image) * w.out + down / w.stride) * w.out + across / w.stride) * chunks + chunk;
      Eight up = load_eight(d_out, from);
      for (u64 e = 0; e < kEight; ++e) sum[e] += which[from * kEight + e] == tap ? from_bf16(up.at[e]) : 0.0F;
    }
    store_eight(d_images, i, sum);
  }
}

/// The mean of each channel of each image of `pixels`, and its way back. Channels in eights.
VT_KERNEL vt_mean_pool(const u16* in, u64 images, u64 pixels, u64 channels, u16* out) {
  u64 chunks = channels / kEight;
  for (VT_EACH(i, images * chunks)) {
    float sum[kEight] = {};
    for (u64 p = 0; p < pixels; ++p) {
      Eight x = load_eight(in, (i / chunks * pixels + p) * chunks + i % chunks);
      for (u64 e = 0; e < kEight; ++e) sum[e] += from_bf16(x.at[e]);
    }
    for (u64 e = 0; e < kEight; ++e) sum[e] /= static_cast<float>(pixels);
    store_eight(out, i, sum);
  }
}
VT_KERNEL vt_mean_pool_backward(const u16* d_out, u64 images, u64 pixels, u64 channels, u16* d_in) {
  u64 chunks = channels / kEight;
  for (VT_EACH(i, images * pixels * chunks)) {
    Eight up = load_eight(d_out, i / (pixels * chunks) * chunks + i % chunks);
    float x[kEight];
    for (u64 e = 0; e < kEight; ++e) x[e] = from_bf16(up.at[e]) / static_cast<float>(pixels);
    store_eight(d_in, i, x);
  }
}

}  // namespace vt::kernels

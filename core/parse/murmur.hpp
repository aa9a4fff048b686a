// The 32 bits of MurmurHash3 (Appleby 2011; in the public domain), and Vowpal Wabbit's hash of a name built on it.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace widemargin::parse {

inline std::uint32_t murmur3(std::string_view text, std::uint32_t seed) {
  constexpr std::uint32_t c1 = 0xcc9e2d51u, c2 = 0x1b873593u;
  auto mixed = [](std::uint32_t k) { return std::rotl(k * c1, 15) * c2; };
  std::uint32_t h = seed;
  std::size_t whole = text.size() / 4 * 4;
  for (std::size_t i = 0; i < whole; i += 4) {
    std::uint32_t k;
    std::memcpy(&k, text.data() + i, 4);
    if constexpr (std::endian::native == std::endian::big) k = __builtin_bswap32(k);
    h = std::rotl(h ^ mixed(k), 13) * 5 + 0xe6546b64u;
  }
  std::uint32_t rest = 0;
  for (std::size_t i = text.size(); i-- > whole;) rest = rest << 8 | static_cast<unsigned char>(text[i]);
  if (whole < text.size()) h ^= mixed(rest);
  h ^= static_cast<std::uint32_t>(text.size());
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  return h ^ h >> 16;
}

// A name of digits alone is the number itself.
inline std::uint64_t name_hash(std::string_view name, std::uint64_t seed) {
  std::uint64_t number = 0;
  for (char c : name) {
    if (c < '0' || c > '9') return murmur3(name, static_cast<std::uint32_t>(seed));
    number = 10 * number + static_cast<std::uint64_t>(c - '0');
  }
  return number + seed;
}

}  // namespace widemargin::parse

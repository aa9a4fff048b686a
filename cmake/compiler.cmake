# A C++20 compiler, or one sentence that names the package to install.
#
# Include after project(... LANGUAGES NONE): project() itself would stop with CMake's own page of text.

include(CheckLanguage)

if(WIN32)
  set(_remedy "install the \"Desktop development with C++\" workload of Visual Studio Build Tools 2022")
elseif(APPLE)
  set(_remedy "install Xcode's command line tools, version 14 or newer (xcode-select --install)")
else()
  set(_remedy "install g++ 11 or newer (package build-essential on Debian and Ubuntu, gcc-c++ on Fedora, \
build-base on Alpine) or clang 14 or newer")
endif()

if(NOT CMAKE_CXX_COMPILER_LOADED)
  check_language(CXX)
  if(NOT CMAKE_CXX_COMPILER)
    unset(CMAKE_CXX_COMPILER CACHE) # so that the next run looks again
    message(FATAL_ERROR "widemargin is compiled when it is installed and no C++ compiler was found: ${_remedy}.")
  endif()
  enable_language(CXX)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_EXTENSIONS OFF)

include(CheckCXXSourceCompiles)
check_cxx_source_compiles([[
  #include <array>
  #include <charconv>
  #include <concepts>
  #include <span>
  template <class T> concept Loss = requires(T z) { { T::value(z) } -> std::convertible_to<double>; };
  struct Meta { const char* name = ""; double curvature = 0; };
  struct Square { static constexpr Meta meta{.name = "square", .curvature = 2}; };
  template <std::floating_point T> T sum(std::span<const T> x) { T s{}; for (T v : x) s += v; return s; }
  int main() {
    std::array<char, 4> text{'0', '.', '5', '0'};
    double x{};
    std::from_chars(text.data(), text.data() + text.size(), x);
    return sum(std::span<const double>(&x, 1)) == 0.5 && Square::meta.curvature == 2 ? 0 : 1;
  }
]] WIDEMARGIN_CXX20)
if(NOT WIDEMARGIN_CXX20)
  unset(WIDEMARGIN_CXX20 CACHE)
  message(FATAL_ERROR "widemargin is written in C++20, which ${CMAKE_CXX_COMPILER_ID} "
    "${CMAKE_CXX_COMPILER_VERSION} (${CMAKE_CXX_COMPILER}) does not compile: ${_remedy}.")
endif()

set(CMAKE_CXX_STANDARD_REQUIRED ON)
unset(_remedy)

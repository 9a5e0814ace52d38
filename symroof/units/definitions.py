"""The units there are, as data: Pint's definition text, and which prefixes each spelling takes."""

from __future__ import annotations

PINT_DEFINITIONS = """
kilo- = 1000 = k-
mega- = 10**6 = M-
giga- = 10**9 = G-
tera- = 10**12 = T-
peta- = 10**15 = P-
exa- = 10**18 = E-
zetta- = 10**21 = Z-
yotta- = 10**24 = Y-
milli- = 1/10**3 = m-
micro- = 1/10**6 = u-
nano- = 1/10**9 = n-
pico- = 1/10**12 = p-
kibi- = 2**10 = Ki-
mebi- = 2**20 = Mi-
gibi- = 2**30 = Gi-
tebi- = 2**40 = Ti-
pebi- = 2**50 = Pi-
exbi- = 2**60 = Ei-

byte = [byte] = B = bytes = Byte = Bytes
FLOP = [FLOP] = _ = FLOPs = flop = flops = Flop = Flops
token = [token] = _ = tokens
second = [second] = s = seconds = sec
dollar = [dollar] = USD = dollars
joule = [joule] = J = joules

bit = byte / 8 = _ = bits
bit_per_second = bit / second = bps
byte_per_second = byte / second = Bps
operation = FLOP = OP = OPs = op = ops
FLOP_per_second = FLOP / second = FLOPS
operation_per_second = FLOP / second = OPS
minute = 60 * second = min = minutes
hour = 60 * minute = h = hours = hr
day = 24 * hour = _ = days
year = 365.25 * day = yr = years
hertz = 1 / second = Hz
watt = joule / second = W = watts
watt_hour = watt * hour = Wh
"""

LARGE = {
    "k": "kilo",
    "M": "mega",
    "G": "giga",
    "T": "tera",
    "P": "peta",
    "E": "exa",
    "Z": "zetta",
    "Y": "yotta",
}
SMALL = {"m": "milli", "u": "micro", "n": "nano", "p": "pico"}
BINARY = {"Ki": "kibi", "Mi": "mebi", "Gi": "gibi", "Ti": "tebi", "Pi": "pebi", "Ei": "exbi"}

# Spellings and the prefixes they take. A millibyte or a kiloday is a slip of the pen, so it is
# no unit. "flops" is the plural of a count; only "FLOPS" in capitals is a rate, as on data sheets.
SPELLINGS: tuple[tuple[str, tuple[dict[str, str], ...]], ...] = (
    ("B byte bytes Byte Bytes bit bits", (LARGE, BINARY)),
    ("bps Bps", (LARGE,)),
    ("FLOP FLOPs flop flops Flop Flops FLOPS OP OPs op ops OPS", (LARGE,)),
    ("token tokens USD dollar dollars", (LARGE,)),
    ("s sec second seconds", (SMALL,)),
    ("min minute minutes h hr hour hours day days yr year years", ()),
    ("Hz hertz", (LARGE,)),
    ("J joule joules W watt watts", (LARGE, SMALL)),
    ("Wh watt_hour", (LARGE,)),
)

# First in lists of what is known.
COMMON = (
    "byte",
    "GB",
    "GiB",
    "FLOP",
    "TFLOP",
    "token",
    "s",
    "us",
    "hour",
    "USD",
    "W",
    "GHz",
)

# How a base unit is written.
SYMBOLS = {
    "byte": "byte",
    "FLOP": "FLOP",
    "token": "token",
    "second": "s",
    "dollar": "USD",
    "joule": "J",
}

# Words that look like units or stand beside them on data sheets, and what to write instead.
HINTS = {
    "KB": "KB is read as 1000 and as 1024 bytes: write kB or KiB",
    "K": "write kB, KiB or a plain number",
    "dB": "decibels are a logarithm: give the ratio itself, or bytes as B",
    "dBm": "decibels are a logarithm: give the power in W",
    "C": "temperatures are no part of this library",
    "degC": "temperatures are no part of this library",
    "celsius": "temperatures are no part of this library",
    "MAC": "1 multiply-accumulate is 2 FLOP: write FLOP",
    "MACs": "1 multiply-accumulate is 2 FLOP: write FLOP",
    "TF": "write TFLOP/s for a rate, TFLOP for an amount",
    "PF": "write PFLOP/s for a rate, PFLOP for an amount",
    "GF": "write GFLOP/s for a rate, GFLOP for an amount",
    "T": "write TFLOP, TB or the number in full (1e12)",
    "G": "write GFLOP, GB or the number in full (1e9)",
    "GT": "transfers hold no fixed number of bytes: write GB/s",
    "EUR": "money is in USD",
    "per": "write / for per, as in GB/s",
    "bidirectional": "bandwidths are per direction: give half of it, without the word",
    "bidir": "bandwidths are per direction: give half of it, without the word",
    "duplex": "bandwidths are per direction: give half of it, without the word",
    "unidirectional": "bandwidths are per direction anyway: leave the word out",
    "each": "bandwidths are per direction anyway: leave the words out",
    "direction": "bandwidths are per direction anyway: leave the words out",
    "dense": "leave the word out: peaks are dense, sparse ones are a field of their own",
    "sparse": "leave the word out: sparse peaks are a field of their own",
    "peak": "leave the word out",
}

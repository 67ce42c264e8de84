"""CipherSpecs by code, and those that are weak."""

from __future__ import annotations

CIPHERS = {
    "1301": "TLS_AES_128_GCM_SHA256", "1302": "TLS_AES_256_GCM_SHA384", "1303": "TLS_CHACHA20_POLY1305_SHA256",
    **{f"00{code}": f"TLS_RSA_WITH_{name}" for code, name in (
        ("3B", "NULL_SHA256"), ("3C", "AES_128_CBC_SHA256"), ("3D", "AES_256_CBC_SHA256"), ("9C", "AES_128_GCM_SHA256"), ("9D", "AES_256_GCM_SHA384"),
    )},
    **{f"C0{code}": f"TLS_ECDHE_{name}" for code, name in (
        ("23", "ECDSA_WITH_AES_128_CBC_SHA256"), ("24", "ECDSA_WITH_AES_256_CBC_SHA384"), ("27", "RSA_WITH_AES_128_CBC_SHA256"),
        ("28", "RSA_WITH_AES_256_CBC_SHA384"), ("2F", "RSA_WITH_AES_128_GCM_SHA256"), ("30", "RSA_WITH_AES_256_GCM_SHA384"),
    )},
}  # fmt: skip
"""V92, "TLS 1.3 CipherSpecs"; the others from IANA, "TLS Cipher Suites"."""
WEAK = {
    "no encryption": ("0001", "0002", "003B", "C006", "C010"),
    "export key": ("0003", "0006", "0008", "0062", "0064"),
    "RC4": ("0004", "0005", "C007", "C011"),
    "DES": ("0009", "FEFE"),
    "3DES": ("000A", "C008", "C012", "FEFF"),
}
"""Catalogue, rule EN001, with the weakness that the IANA name of the code has."""

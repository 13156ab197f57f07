/**
 * Self-signed certificate for localhost, 127.0.0.1 and hooks.example, valid until 2126, with its key. It is
 * public, and protects nothing. Made by `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256`.
 */
export const testCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgd5Vdzw1teilgRoIM
ZIbhyjzN0KqZL54ezP03ueYuy3WhRANCAARUUlbh5hb/gLYAJsZb0p9VQZzBiCeO
sl2P10KhdsuieMui49dKdWyaEbtN419sJ70yRJB8+elzGebmjqNMcI11
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBsTCCAVigAwIBAgIUCGMa4pCqp5l/mmTAqDwxasFk/g8wCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNaG9va3MuZXhhbXBsZTAgFw0yNjExMjMxMjQ3MzlaGA8yMTI2
MTAzMDEyNDczOVowGDEWMBQGA1UEAwwNaG9va3MuZXhhbXBsZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABFRSVuHmFv+AtgAmxlvSn1VBnMGIJ46yXY/XQqF2y6J4
y6Lj10p1bJoRu03jX2wnvTJEkHz56XMZ5uaOo0xwjXWjfjB8MB0GA1UdDgQWBBQ2
x6rhgUBuydQIdoEb8aYKcAcRfzAfBgNVHSMEGDAWgBQ2x6rhgUBuydQIdoEb8aYK
cAcRfzAPBgNVHRMBAf8EBTADAQH/MCkGA1UdEQQiMCCCCWxvY2FsaG9zdIINaG9v
a3MuZXhhbXBsZYcEfwAAATAKBggqhkjOPQQDAgNHADBEAiAG9pdus63Tgznq81cU
1d0Z9DXdzr8AnmWscknxgvBs2wIgJTJl0U1fSKnY9oGajPhMHiF7wXAirFTwyS/F
b8WzLnw=
-----END CERTIFICATE-----
`,
} as const;

/** Rules of the demo PKI. */
export default [
  {
    id: 'PKI-1',
    rule: 'The CA is CN=svc Demo CA, a CA for certificates, CRLs and signatures (both extensions critical), valid for ten years',
    where: 'core 3',
  },
  {
    id: 'PKI-2',
    rule: 'The server certificate is CN=svc for localhost, 127.0.0.1, ::1 and svc, with serverAuth, valid for 825 days',
    where: 'core 3',
  },
  {
    id: 'PKI-3',
    rule: 'The client certificate is CN=demo-client, O=svc Demo, with clientAuth, valid for 825 days',
    where: 'core 3',
  },
  {
    id: 'PKI-4',
    rule: 'All certificates use P-256 with SHA-256, have key identifiers and a random positive 16-byte serial, start one day in the past, and pass strict verifiers',
    where: 'core 3',
  },
  { id: 'PKI-5', rule: 'Keys are PKCS#8 PEM, on disk readable by the owner only', where: 'core 3' },
  {
    id: 'PKI-6',
    rule: 'The client pair is created at every start, and older ones stay valid while the CA exists',
    where: 'core 3',
  },
  {
    id: 'PKI-7',
    rule: 'Without CA files, a CA is created and written, including missing folders',
    where: 'core 3, CA files',
  },
  { id: 'PKI-8', rule: 'A demo CA with its key is used', where: 'core 3, CA files' },
  {
    id: 'PKI-9',
    rule: 'CA files that svc did not create stay unchanged with a warning, and the next pair is tried',
    where: 'core 3, CA files',
  },
  {
    id: 'PKI-10',
    rule: 'A demo CA with a missing or wrong key is replaced with a warning',
    where: 'core 3, CA files',
  },
  { id: 'PKI-11', rule: 'A CA that cannot be written is kept in memory with a warning', where: 'core 3, CA files' },
  { id: 'PKI-12', rule: 'If writing a pair fails, neither file is left', where: 'core 3, CA files' },
  {
    id: 'PKI-13',
    rule: 'Without HTTPS files, a pair of the demo CA is generated and written',
    where: 'core 3, HTTPS pair',
  },
  {
    id: 'PKI-14',
    rule: 'With only one HTTPS file, nothing is written or changed, and a generated pair is used in memory with a warning',
    where: 'core 3, HTTPS pair',
  },
  {
    id: 'PKI-15',
    rule: 'A pair issued by a demo CA other than the current one is replaced, in memory if it cannot be written',
    where: 'core 3, HTTPS pair',
  },
  {
    id: 'PKI-16',
    rule: 'An HTTPS pair that does not match, cannot be parsed or is encrypted is an error that names both files, and stays unchanged',
    where: 'core 3, HTTPS pair',
  },
  {
    id: 'PKI-17',
    rule: 'Any other HTTPS pair is used as it is: user-provided certificates, expired ones, chain files',
    where: 'core 3, HTTPS pair',
  },
  {
    id: 'PKI-18',
    rule: 'A TLS connection with a client certificate that does not chain to the demo CA or lacks clientAuth is closed without a response',
    where: 'core 3, client certificates',
  },
  {
    id: 'PKI-19',
    rule: 'A connection without a client certificate, resumed or not, has no certificate',
    where: 'core 3, client certificates',
  },
  {
    id: 'PKI-20',
    rule: 'The certificate of the TLS connection takes precedence over the header',
    where: 'identity 12',
  },
  {
    id: 'PKI-21',
    rule: 'A header contains percent-encoded PEM, raw PEM with newlines, spaces, tabs or nothing as line ends, base64 DER, or base64 DER between colons',
    where: 'identity 12',
  },
  {
    id: 'PKI-22',
    rule: 'A certificate in the header is rejected if it is a CA, has another issuer by name or signature, is outside its validity, or is not for client authentication',
    where: 'identity 12',
  },
  {
    id: 'PKI-23',
    rule: 'A header value that is not a certificate, however hostile, is rejected',
    where: 'identity 12',
  },
  {
    id: 'PKI-24',
    rule: 'Processes that start together with one folder end up with the same CA and the same HTTPS pair',
    where: 'own decision, for replicas that share a volume',
  },
  {
    id: 'PKI-90',
    rule: 'svc.pki.issue makes a certificate with a new key as ordered: key type, names, dates, hash, usages, extensions and issuer; nothing is written to disk',
    where: 'identity-next 11.4',
  },
  {
    id: 'PKI-91',
    rule: 'svc.pki makes a CRL and OCSP responses of the demo CA that OpenSSL verifies: revoked, good, unknown for other issuers, with the nonce of the request',
    where: 'identity-next 11.3; RFC 5280, 5; RFC 6960',
  },
  {
    id: 'PKI-92',
    rule: 'An OCSP request that cannot be read, or with more than 16 certificates, gets malformedRequest',
    where: 'RFC 6960, 2.3',
  },
]

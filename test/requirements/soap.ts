/** Rules for SOAP. */
export default [
  {
    id: 'SOAP-1',
    rule: 'GetUser, CreateOrder and GetStatus respond in the version and namespace of the request',
    where: 'protocols 3.1',
  },
  {
    id: 'SOAP-2',
    rule: 'fields are found by local name and trimmed; the first of duplicate names is used; values are echoed unchanged and escaped',
    where: 'protocols 3.1',
  },
  { id: 'SOAP-3', rule: 'the envelope decides the version, whatever the content type says', where: 'protocols 3.1' },
  {
    id: 'SOAP-4',
    rule: 'an action that names an operation selects it, otherwise the name of the body element does',
    where: 'protocols 3.1',
  },
  { id: 'SOAP-5', rule: 'faults have the format, code and status of their version', where: 'protocols 3.2' },
  {
    id: 'SOAP-6',
    rule: 'XML that is not well-formed is a Sender fault: references, prefixes, roots, characters, markup',
    where: 'protocols 3.2',
  },
  {
    id: 'SOAP-7',
    rule: 'document types are rejected, whatever they define, except in comments and CDATA',
    where: 'protocols 3.2',
  },
  { id: 'SOAP-8', rule: '32 levels and 64 fields are accepted, more are rejected', where: 'protocols 3.2' },
  { id: 'SOAP-9', rule: 'another envelope namespace is VersionMismatch with Upgrade in 1.2', where: 'protocols 3.2' },
  {
    id: 'SOAP-10',
    rule: 'mustUnderstand header blocks addressed to the service are faults, others are ignored',
    where: 'protocols 3.2',
  },
  { id: 'SOAP-11', rule: 'missing fields and bad amounts are Sender faults', where: 'protocols 3.2' },
  { id: 'SOAP-12', rule: 'errors of the core are sent as faults with the status of the core', where: 'protocols 3.2' },
  {
    id: 'SOAP-13',
    rule: 'byte order mark, charset and declaration determine the encoding; unknown encodings and invalid bytes are faults',
    where: 'protocols 3.3',
  },
  { id: 'SOAP-14', rule: 'the WSDL has both bindings and the address that the client used', where: 'protocols 3.4' },
  { id: 'SOAP-15', rule: 'GET without wsdl is 405 with Allow and a fault that names the WSDL', where: 'protocols 3' },
  { id: 'SOAP-16', rule: 'hostile documents of a megabyte get a response quickly', where: 'protocols 7' },
  { id: 'SOAP-20', rule: 'the npm client soap works from the served WSDL, in both versions', where: 'protocols 5' },
]

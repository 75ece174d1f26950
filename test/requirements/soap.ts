/** What SOAP promises. */
export default [
  {
    id: 'SOAP-1',
    rule: 'GetUser, CreateOrder and GetStatus answer in the version and namespace they were asked in',
    where: 'protocols 3.1',
  },
  {
    id: 'SOAP-2',
    rule: 'fields are found by local name, trimmed, the first of equal names wins, values are echoed unchanged and escaped',
    where: 'protocols 3.1',
  },
  { id: 'SOAP-3', rule: 'the envelope decides the version, whatever the content type says', where: 'protocols 3.1' },
  {
    id: 'SOAP-4',
    rule: 'an action that names an operation decides, else the name of the body element',
    where: 'protocols 3.1',
  },
  { id: 'SOAP-5', rule: 'faults have the form, code and status of their version', where: 'protocols 3.2' },
  {
    id: 'SOAP-6',
    rule: 'what is no well-formed XML is a Sender fault: references, prefixes, roots, characters, markup',
    where: 'protocols 3.2',
  },
  {
    id: 'SOAP-7',
    rule: 'document types are refused, whatever they define, unless in comments and CDATA',
    where: 'protocols 3.2',
  },
  { id: 'SOAP-8', rule: '32 levels and 64 fields pass, more are refused', where: 'protocols 3.2' },
  { id: 'SOAP-9', rule: 'another envelope namespace is VersionMismatch with Upgrade in 1.2', where: 'protocols 3.2' },
  {
    id: 'SOAP-10',
    rule: 'header blocks that must be understood and are addressed to us are faults, others pass',
    where: 'protocols 3.2',
  },
  { id: 'SOAP-11', rule: 'missing fields and bad amounts are Sender faults', where: 'protocols 3.2' },
  { id: 'SOAP-12', rule: 'the failures of the core are faults with the status of the core', where: 'protocols 3.2' },
  {
    id: 'SOAP-13',
    rule: 'byte order mark, charset and declaration choose the encoding; unknown ones and wrong bytes are faults',
    where: 'protocols 3.3',
  },
  { id: 'SOAP-14', rule: 'the WSDL has both bindings and the address that the client used', where: 'protocols 3.4' },
  { id: 'SOAP-15', rule: 'GET without wsdl is 405 with Allow and a fault that names the WSDL', where: 'protocols 3' },
  { id: 'SOAP-16', rule: 'hostile documents of a megabyte are answered soon', where: 'protocols 7' },
  { id: 'SOAP-20', rule: 'the npm client soap works from the served WSDL, in both versions', where: 'protocols 5' },
]

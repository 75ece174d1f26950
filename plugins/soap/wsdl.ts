/** The WSDL 1.1 document: three document/literal operations, bound to SOAP 1.1 and 1.2. */
import { NAMESPACE } from './operations.ts'
import { escapeXml } from './xml/references.ts'

interface Part {
  operation: string
  prefix: string
  namespace: string
  /** Contents of the request and the response element. */
  request: string
  response: string
}

const text = (name: string, type = 'string', attributes = ''): string =>
  `<xsd:element name="${name}" type="xsd:${type}"${attributes}/>`
const OPTIONAL = ' minOccurs="0"'
const sequence = (...elements: string[]): string =>
  `<xsd:complexType><xsd:sequence>${elements.join('')}</xsd:sequence></xsd:complexType>`

const PARTS: readonly Part[] = [
  {
    operation: 'GetUser',
    prefix: 'usr',
    namespace: `${NAMESPACE}/users`,
    request: sequence(text('userId')),
    response: sequence(
      `<xsd:element name="user">${sequence(text('id'), text('name'), text('email'), text('role'))}</xsd:element>`,
    ),
  },
  {
    operation: 'CreateOrder',
    prefix: 'ord',
    namespace: `${NAMESPACE}/orders`,
    request: sequence(text('merchantId'), text('amount', 'decimal', OPTIONAL), text('currency', 'string', OPTIONAL)),
    response: sequence(
      text('orderId'),
      text('merchantId'),
      text('amount', 'decimal'),
      text('currency'),
      text('status'),
      text('timestamp', 'dateTime'),
    ),
  },
  {
    operation: 'GetStatus',
    prefix: 'sts',
    namespace: `${NAMESPACE}/status`,
    request: sequence(text('orderId', 'string', OPTIONAL)),
    response: sequence(
      text('orderId'),
      text('status'),
      text('createdAt', 'dateTime'),
      text('updatedAt', 'dateTime'),
      text('tracking'),
    ),
  },
]
const FAULTS = `${NAMESPACE}/faults`

/** The document with the service address `address`. */
export function writeWsdl(address: string): string {
  const prefixes = PARTS.map(({ prefix, namespace }) => `xmlns:${prefix}="${namespace}"`).join(' ')
  return `<?xml version="1.0" encoding="UTF-8"?>
<wsdl:definitions name="SvcService" targetNamespace="${NAMESPACE}/wsdl" xmlns:tns="${NAMESPACE}/wsdl" ${prefixes} xmlns:flt="${FAULTS}" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:xsd="http://www.w3.org/2001/XMLSchema">
<wsdl:types>
${PARTS.map(writeSchema).join('\n')}
<xsd:schema targetNamespace="${FAULTS}" elementFormDefault="qualified"><xsd:element name="error" type="xsd:string"/></xsd:schema>
</wsdl:types>
${PARTS.map(writeMessages).join('\n')}
<wsdl:message name="ServiceFault"><wsdl:part name="fault" element="flt:error"/></wsdl:message>
<wsdl:portType name="SvcPortType">
${PARTS.map(writeOperation).join('\n')}
</wsdl:portType>
${writeBinding('SvcBinding', 'soap')}
${writeBinding('SvcBinding12', 'soap12')}
<wsdl:service name="SvcService">
<wsdl:port name="SvcPort" binding="tns:SvcBinding"><soap:address location="${escapeXml(address)}"/></wsdl:port>
<wsdl:port name="SvcPort12" binding="tns:SvcBinding12"><soap12:address location="${escapeXml(address)}"/></wsdl:port>
</wsdl:service>
</wsdl:definitions>
`
}

function writeSchema({ operation, namespace, request, response }: Part): string {
  return `<xsd:schema targetNamespace="${namespace}" elementFormDefault="qualified">
<xsd:element name="${operation}">${request}</xsd:element>
<xsd:element name="${operation}Response">${response}</xsd:element>
</xsd:schema>`
}

function writeMessages({ operation, prefix }: Part): string {
  return `<wsdl:message name="${operation}Request"><wsdl:part name="parameters" element="${prefix}:${operation}"/></wsdl:message>
<wsdl:message name="${operation}Response"><wsdl:part name="parameters" element="${prefix}:${operation}Response"/></wsdl:message>`
}

function writeOperation({ operation }: Part): string {
  return `<wsdl:operation name="${operation}"><wsdl:input message="tns:${operation}Request"/><wsdl:output message="tns:${operation}Response"/><wsdl:fault name="ServiceFault" message="tns:ServiceFault"/></wsdl:operation>`
}

function writeBinding(name: string, soap: 'soap' | 'soap12'): string {
  const operations = PARTS.map(
    ({ operation }) =>
      `<wsdl:operation name="${operation}"><${soap}:operation soapAction="${NAMESPACE}/${operation}" style="document"/>` +
      `<wsdl:input><${soap}:body use="literal"/></wsdl:input><wsdl:output><${soap}:body use="literal"/></wsdl:output>` +
      `<wsdl:fault name="ServiceFault"><${soap}:fault name="ServiceFault" use="literal"/></wsdl:fault></wsdl:operation>`,
  )
  return `<wsdl:binding name="${name}" type="tns:SvcPortType">
<${soap}:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
${operations.join('\n')}
</wsdl:binding>`
}

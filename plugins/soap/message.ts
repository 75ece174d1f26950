/** Serializes envelopes: responses and faults, in both versions. */
import type { SoapFault } from './faults.ts'
import { NAMESPACE, type Content, type Operation } from './operations.ts'
import { SOAP_11, SOAP_12, type SoapVersion } from './versions.ts'
import type { Element } from './xml/element.ts'
import { escapeXml } from './xml/references.ts'

export function writeResponse(version: SoapVersion, { name, namespace }: Operation, content: Content): string {
  return writeEnvelope(version, '', `<${name}Response xmlns="${namespace}">${writeContent(content)}</${name}Response>`)
}

function writeContent(content: Content): string {
  return content
    .map(([name, value]) => `<${name}>${typeof value === 'string' ? escapeXml(value) : writeContent(value)}</${name}>`)
    .join('')
}

/** Serializes a fault of SOAP 1.1 (4.4) or 1.2 (part 1, 5.4). */
export function writeFault(version: SoapVersion, fault: SoapFault): string {
  const { prefix } = version
  const code = `${prefix}:${version.codeName[fault.code]}`
  const reason = escapeXml(fault.reason)
  const detail = `<svc:error xmlns:svc="${NAMESPACE}/faults">${escapeXml(fault.detail)}</svc:error>`
  const body =
    version === SOAP_11
      ? `<soap:Fault><faultcode>${code}</faultcode><faultstring>${reason}</faultstring><detail>${detail}</detail></soap:Fault>`
      : `<env:Fault><env:Code><env:Value>${code}</env:Value></env:Code><env:Reason><env:Text xml:lang="en">${reason}</env:Text></env:Reason><env:Detail>${detail}</env:Detail></env:Fault>`
  return writeEnvelope(version, version === SOAP_12 ? writeFaultHeader(fault) : '', body)
}

/** The headers that SOAP 1.2 adds to two of the faults (part 1, 5.4.7 and 5.4.8). */
function writeFaultHeader(fault: SoapFault): string {
  if (fault.code === 'MustUnderstand') return fault.notUnderstood.map(writeNotUnderstood).join('')
  if (fault.code !== 'VersionMismatch') return ''
  const supported = [SOAP_12, SOAP_11].map(
    ({ namespace }) => `<env:SupportedEnvelope qname="e:Envelope" xmlns:e="${namespace}"/>`,
  )
  return `<env:Upgrade>${supported.join('')}</env:Upgrade>`
}

function writeNotUnderstood({ namespace, local }: Element): string {
  if (namespace === '') return `<env:NotUnderstood qname="${escapeXml(local)}"/>`
  return `<env:NotUnderstood qname="p:${escapeXml(local)}" xmlns:p="${escapeXml(namespace)}"/>`
}

function writeEnvelope({ prefix, namespace }: SoapVersion, header: string, body: string): string {
  const headerPart = header === '' ? '' : `<${prefix}:Header>${header}</${prefix}:Header>`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${prefix}:Envelope xmlns:${prefix}="${namespace}">${headerPart}<${prefix}:Body>\n${body}\n</${prefix}:Body></${prefix}:Envelope>\n`
}

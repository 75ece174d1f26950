/** `/soap` and `/soap/wsdl`. */
import {
  describe,
  readQuery,
  type CoreFailure,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RequestFacts,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { readBodyElement, readVersion } from './envelope.ts'
import { SoapFault, methodNotAllowed } from './faults.ts'
import { writeResponse, writeFault } from './message.ts'
import { selectOperation, readInput, type Operation } from './operations.ts'
import { SOAP_11, versionOfContentType, type SoapVersion } from './versions.ts'
import { writeWsdl } from './wsdl.ts'
import { readDocument } from './xml/document.ts'
import { decodeXml } from './xml/text.ts'
import { SOAP_POST } from './replies.ts'

const GET_USER =
  '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><GetUser xmlns="http://svc.local/users"><userId>123</userId></GetUser></soap:Body></soap:Envelope>'
const CREATE_ORDER =
  '<env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope"><env:Body><CreateOrder xmlns="http://svc.local/orders"><merchantId>M-1</merchantId><amount>19.90</amount><currency>EUR</currency></CreateOrder></env:Body></env:Envelope>'

const message: RouteDescription = {
  summary: 'Call GetUser, CreateOrder or GetStatus',
  reply: SOAP_POST,
  description:
    'Supports SOAP 1.1 and 1.2. The namespace of the envelope selects the version; the response has the same version.',
  category: 'SOAP / XML',
  requestBody: {
    required: true,
    content: { 'text/xml': { type: 'string' }, 'application/soap+xml': { type: 'string' } },
  },
  responses: {
    200: { description: 'The response of the operation' },
    400: { description: 'A SOAP 1.2 fault with the code Sender' },
    500: { description: 'Any other fault' },
  },
  examples: [
    {
      name: 'SOAP 1.1',
      method: 'POST',
      path: '/soap',
      headers: [
        { name: 'Content-Type', value: 'text/xml; charset=utf-8' },
        { name: 'SOAPAction', value: '"http://svc.local/GetUser"' },
      ],
      body: GET_USER,
      bodyType: 'xml',
      expectStatus: 200,
    },
    {
      name: 'SOAP 1.2',
      method: 'POST',
      path: '/soap',
      headers: [{ name: 'Content-Type', value: 'application/soap+xml; charset=utf-8' }],
      body: CREATE_ORDER,
      bodyType: 'xml',
      expectStatus: 200,
    },
  ],
  errorForm: toCoreFault,
}
const wsdlAt = (path: string, parameters: RouteDescription['parameters'] = []): RouteDescription => ({
  summary: 'Get the WSDL 1.1 document',
  category: 'SOAP / XML',
  parameters,
  responses: {
    200: {
      description: 'The WSDL with both bindings; the service address is that of the request',
      content: { 'text/xml': { type: 'string' } },
    },
    405: { description: 'A fault: GET needs `?wsdl`' },
  },
  examples: [{ name: 'WSDL', path, expectStatus: 200 }],
  errorForm: toCoreFault,
})

export function registerRoutes(app: FastifyInstance, svc: Svc, operations: readonly Operation[]): void {
  const addressOf = (request: FastifyRequest): string => svc.http.url(request, '/soap')
  const sendWsdl = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply.type(SOAP_11.contentType).send(writeWsdl(addressOf(request)))

  app.post('/soap', describe(message), (request, reply) => {
    const contentType = request.headers['content-type']
    let version = versionOfContentType(contentType)
    try {
      const root = readDocument(decodeXml(svc.http.body(request), contentType))
      version = readVersion(root)
      const element = readBodyElement(root, version)
      const operation = selectOperation(operations, actionOf(request), element)
      return reply.type(version.contentType).send(writeResponse(version, operation, operation.run(readInput(element))))
    } catch (error) {
      if (!(error instanceof SoapFault)) throw error
      return sendFault(reply, version, error)
    }
  })
  app.get(
    '/soap',
    describe(
      wsdlAt('/soap?wsdl', [
        { name: 'wsdl', in: 'query', description: 'Case-insensitive', schema: { type: 'string' } },
      ]),
    ),
    (request, reply) => {
      if ([...readQuery(request).keys()].some(key => key.toLowerCase() === 'wsdl')) return sendWsdl(request, reply)
      return sendFault(reply.header('Allow', 'GET, POST'), SOAP_11, methodNotAllowed(`${addressOf(request)}?wsdl`), 405)
    },
  )
  app.get('/soap/wsdl', describe(wsdlAt('/soap/wsdl')), sendWsdl)
}

/** The `SOAPAction` header (SOAP 1.1, 6.1.1), else the `action` parameter (SOAP 1.2 part 2, 6.5), else null. */
function actionOf({ headers }: FastifyRequest): string | null {
  const header = headers.soapaction
  const action =
    header === undefined
      ? /;\s*action\s*=\s*("[^"]*"|[^\s;]*)/i.exec(headers['content-type'] ?? '')?.[1]
      : String(header)
  return action === undefined ? null : action.trim().replace(/^"(.*)"$/, '$1')
}

function sendFault(
  reply: FastifyReply,
  version: SoapVersion,
  fault: SoapFault,
  status = version.statusOf(fault.code),
): FastifyReply {
  return reply.code(status).type(version.contentType).send(writeFault(version, fault))
}

/** Sends errors of the core as faults, with the status of the core. */
function toCoreFault({ status, kind, body, requestId }: CoreFailure, { headers }: RequestFacts) {
  const version = versionOfContentType(headers['content-type'])
  const error = String(body.error ?? kind)
  const fault =
    kind === 'internal'
      ? new SoapFault('Receiver', 'Internal error', `request ${requestId}`)
      : new SoapFault(
          status < 500 ? 'Sender' : 'Receiver',
          error,
          String(body.hint ?? body.detail ?? body.message ?? error),
        )
  return { status, headers: { 'Content-Type': version.contentType }, body: writeFault(version, fault) }
}

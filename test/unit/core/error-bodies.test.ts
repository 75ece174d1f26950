/** The bodies of framework responses. */
import t from 'tap'
import {
  badRequest,
  headerFieldsTooLarge,
  internalError,
  methodNotAllowed,
  notFound,
  notFoundOfPlugin,
  payloadTooLarge,
  requestTimeout,
} from '../../../core/http/response/error-bodies.ts'

t.test('has the documented bodies [FAIL-1]', async t => {
  const rows: [body: object, text: string][] = [
    [
      notFound('GET', '/no/such'),
      '{"error":"not found","method":"GET","path":"/no/such","hint":"GET / lists every endpoint; /openapi.json describes them"}',
    ],
    [
      notFoundOfPlugin('POST', '/soap', { name: 'soap', state: 'disabled' }),
      '{"error":"not found","method":"POST","path":"/soap","hint":"this path belongs to the plugin soap, which is disabled; see GET /_svc/plugins and /openapi.json","plugin":"soap","plugin_state":"disabled"}',
    ],
    [
      notFoundOfPlugin('GET', '/soap/x', { name: 'soap', state: 'failed' }),
      '{"error":"not found","method":"GET","path":"/soap/x","hint":"this path belongs to the plugin soap, which has failed; see GET /_svc/plugins and /openapi.json","plugin":"soap","plugin_state":"failed"}',
    ],
    [
      methodNotAllowed('DELETE', '/uuid', ['GET', 'HEAD']),
      '{"error":"method not allowed","method":"DELETE","path":"/uuid","allow":["GET","HEAD"]}',
    ],
    [badRequest('x'), '{"error":"bad request","detail":"x"}'],
    [
      payloadTooLarge(1_048_576),
      '{"error":"payload too large","limit":1048576,"hint":"the body exceeds SVC_BODY_LIMIT"}',
    ],
    [
      payloadTooLarge(17, { description: { ownBodyLimit: 17 } }),
      '{"error":"payload too large","limit":17,"hint":"the body exceeds the limit of this route"}',
    ],
    [headerFieldsTooLarge(65_536), '{"error":"request header fields too large","limit":65536}'],
    [internalError('r-1'), '{"error":"internal error","request_id":"r-1"}'],
    [
      requestTimeout(120),
      '{"error":"request timeout","timeout_secs":120,"hint":"the route sent no response headers within SVC_REQUEST_TIMEOUT seconds"}',
    ],
  ]
  for (const [body, text] of rows) t.equal(JSON.stringify(body), text)
})

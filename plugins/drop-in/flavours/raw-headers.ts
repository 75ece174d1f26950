/** agentgateway's raw-headers: the request line and the fields as they arrived. */
import type { Server } from '../request/call.ts'

export const RAW_HEADERS: Server = {
  name: 'raw-headers',
  title: 'raw-headers',
  summary: 'Request line and header lines as received',
  example: '/',
  mediaTypes: ['text/plain'],
  handle(call) {
    const { http, inspector } = call.svc
    const lines = http.receivedHeaders(call.request)
    let body = `${call.method} ${call.target} ${call.protocol}\n`
    for (let index = 0; index < lines.length; index += 2) {
      const name = lines[index]!
      if (!name.startsWith(':')) body += `${name}: ${inspector.redactHeader(name, lines[index + 1]!)}\n`
    }
    call.reply.raw.setHeader('Connection', 'close')
    return call.send('text/plain', Buffer.from(body, 'latin1'))
  },
}

/** Envoy Gateway's preserve-case backend: the fields of requests and responses keep their case. */
import type { Server } from '../request/call.ts'

export const PRESERVE_CASE: Server = {
  name: 'preserve-case',
  title: "Envoy Gateway's preserve-case backend",
  summary: 'Header fields in their case; sets those that the query names',
  example: '/preserve?headers=ReSpOnSe',
  mediaTypes: ['text/plain'],
  handle(call) {
    const { http, inspector } = call.svc
    const lines = http.receivedHeaders(call.request)
    const shown: Record<string, string[]> = Object.create(null)
    for (let index = 0; index < lines.length; index += 2) {
      const name = lines[index]!
      if (!name.startsWith(':')) (shown[name] ??= []).push(inspector.redactHeader(name, lines[index + 1]!))
    }
    call.setChosen(call.query.getAll('headers').map(name => [name, 'PrEsEnT'] as const))
    return call.text(`${JSON.stringify(shown, undefined, 2)}\n`)
  },
}

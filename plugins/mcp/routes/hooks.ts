/** Runs the hooks of servers that misbehave on purpose. */
import { countUse, applyFault } from '../faults/inject.ts'
import { KINDS, type Kind } from '../protocol/fault-kinds.ts'
import type { HttpExchange } from '../http/exchange.ts'
import { readMessage } from '../protocol/json-rpc.ts'
import type { MessageExchange } from '../types.ts'

/** Runs the hook for a message. */
export async function runMessageHook(exchange: HttpExchange, body: unknown): Promise<void> {
  const { hooks } = exchange.server.definition
  if (!hooks?.message || Array.isArray(body)) return
  const message = readMessage(body)
  const isRequest = message.kind === 'request'
  const { mcp, server, request, reply } = exchange
  const own: MessageExchange = {
    request,
    reply,
    method: message.kind === 'response' ? '' : message.method,
    params: isRequest ? message.params : {},
    isRequest,
    session: mcp.svc.http.session(request).key,
    count: name => countUse(mcp, server.name, request, name),
    fault: kind => applyFault(kindOf(kind), isRequest ? message.params : {}, exchange),
    answer(send) {
      exchange.intercept(({ status, text, headers }) =>
        send({
          text,
          send: changed => exchange.sendJson(status, changed, headers),
          openStream: () => exchange.openStream(),
        }),
      )
    },
  }
  await hooks.message(own)
}

function kindOf(name: string): Kind {
  const kind = KINDS.find(known => known === name)
  if (kind === undefined) throw new Error(`unknown fault ${name}`)
  return kind
}

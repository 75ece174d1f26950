/** The upstream of Envoy AI Gateway's tests: request headers say what must hold, and what to answer. */
import type { ExpectationFailure } from 'svc/plugin'
import { readOrProblem } from 'svc/toolkit'
import type { Call, Server } from '../request/call.ts'
import type { Seen, TestUpstreamHeaders } from '../request/testupstream-headers.ts'

/** The answer is sent unless something does not hold. */
async function answer(call: Call, headers: TestUpstreamHeaders): Promise<ExpectationFailure | null> {
  const { request, reply } = call
  const { http } = call.svc
  const seen = seenBy(call)
  const expected = readOrProblem(() => headers.conditions(request, seen))
  if ('problem' in expected) return { status: 400, body: expected.problem }
  const failure = await http.checkExpectation(request, expected.value)
  if (failure !== null) return failure
  const wanted = readOrProblem(() => headers.answer(request, seen))
  if ('problem' in wanted) return { status: 400, body: wanted.problem }
  return http.answer(request, reply, wanted.value)
}

function seenBy(call: Call): Seen {
  const shown = call.svc.http.target(call.request).split('?', 1)[0]!
  return { path: call.path, base: shown.endsWith(call.path) ? shown.slice(0, -call.path.length) : '', isFlavour: true }
}

export function createTestUpstream(headers: TestUpstreamHeaders): Server {
  return {
    name: 'testupstream',
    title: "Envoy AI Gateway's test upstream",
    summary: 'Answers as request headers say, if what they expect holds',
    example: '/health',
    mediaTypes: ['application/json', 'text/event-stream', 'text/plain'],
    rootStatus: 400,
    async handle(call) {
      if (call.path === '/health') return call.send(null, '')
      const failure = await answer(call, headers)
      if (failure === null) return call.reply
      const { status, headers: fields, body } = headers.refuse(call.request, failure)
      for (const [name, value] of Object.entries(fields)) call.reply.raw.setHeader(name, value)
      return call.send(null, body, status)
    },
  }
}

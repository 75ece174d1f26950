/** The prompt that tells a model how to find out what a gateway did to requests. */
import type { PromptDefinition } from '../mcp/types.ts'

const MAX_CHARACTERS = 2000

export const diagnosis: PromptDefinition = {
  name: 'diagnose_gateway',
  title: 'Diagnose a gateway',
  description: 'What to look at, and in which order, to find out what a gateway does to requests',
  arguments: [
    { name: 'session', title: 'Session', description: 'Value of X-Svc-Session in the requests' },
    { name: 'question', title: 'Question', description: 'What you want to find out' },
  ],
  get({ session, question }) {
    const ofSession = session === undefined || session === '' ? '' : ` of the session "${shorten(session)}"`
    const asked =
      question === undefined || question === ''
        ? 'Find out what the gateway changes, retries, caches or refuses.'
        : `Question: ${shorten(question)}`
    return {
      description: 'Diagnose a gateway',
      messages: [
        {
          role: 'user',
          content: {
            type: 'text',
            text: `A gateway forwards requests to svc, a test upstream. ${asked}
Look at the following, in this order:
1. get_status: is the instance healthy, and does proxy_headers name headers that the gateway added?
2. list_rules: does a rule inject faults into the requests${ofSession}?
3. list_requests: which requests${ofSession} arrived, with which status? Requests that the client sent and that are missing here were answered or refused by the gateway.
4. get_request: compare method, path, headers and body of one request with what the client sent.
5. verify_requests: count them. More than the client sent are retries; fewer are cached or refused responses.
6. put_rule: inject one fault, send the request again, and compare what the client sees with what the rule says.
7. reset: remove the rules and captures${ofSession}.
Answer with what you found, and name the captured requests that show it.`,
          },
        },
      ],
    }
  },
}

function shorten(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
}

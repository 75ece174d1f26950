/** The processor `prompt-guard`: refuses requests to models whose texts are flagged. */
import type { Svc } from 'svc/plugin'
import type { TextChecks } from '../../guardrails/types.ts'
import type { Providers } from '../../llm/types.ts'
import { formatOf, jsonOf, textsOf } from '../bodies/texts.ts'
import { headerOf, isEncoded, type Immediate, type Message } from '../plan.ts'
import type { Processor } from './processor.ts'

const STATUS = 400

interface Parts {
  /** Undefined without the plugin `guardrails`: then nothing is refused. */
  checks: TextChecks | undefined
  providers: Providers | undefined
}

export function promptGuard({ budgets }: Pick<Svc, 'budgets'>, { checks, providers }: Parts): Processor {
  return {
    name: 'prompt-guard',
    summary: 'Refuses requests with flagged texts, with the error of the provider that the request is for.',
    open: () => ({
      body: message =>
        message.side === 'response' || checks === undefined || isEncoded(message)
          ? null
          : {
              kind: 'whole',
              ofHead: false,
              change(bytes) {
                const body = jsonOf(bytes)
                const texts = body === null ? bytes.toString() : textsOf(body, budgets.evaluation()).join('\n')
                const flags = checks.flags(texts)
                if (flags.length === 0) return { kind: 'changes', reason: 'nothing is flagged' }
                return refusal(message, flags, formatOf(pathOf(message), body), providers)
              },
            },
    }),
  }
}

function refusal(
  message: Message,
  flags: readonly string[],
  format: string | null,
  providers: Providers | undefined,
): Immediate {
  const details = `the prompt was blocked: ${flags.join(', ')}`
  const requestId = headerOf(message, 'x-request-id') ?? ''
  const error =
    format === null
      ? null
      : (providers?.errorOf(format, 'bad_request', {
          status: STATUS,
          message: details,
          requestId,
          path: pathOf(message),
        }) ?? null)
  const body = error?.body ?? { error: 'blocked', flags, details }
  return {
    kind: 'immediate',
    status: STATUS,
    head: { set: [...Object.entries(error?.headers ?? {}), ['content-type', 'application/json']] },
    body: Buffer.from(JSON.stringify(body)),
    grpcStatus: null,
    details: 'prompt_blocked',
    reason: details,
  }
}

function pathOf({ checked }: Message): string {
  return checked.url.split('?', 1)[0]!
}

/** The processor `epp`: picks endpoints as the Inference Extension of the Gateway API defines it, version 1.0.0. */
import { createHash } from 'node:crypto'
import type { Svc } from 'svc/plugin'
import { nearest } from 'svc/toolkit'
import type { Providers } from '../../llm/types.ts'
import { jsonOf, promptOf } from '../bodies/texts.ts'
import { type Changes, headerOf, type Immediate, type Message, type WholeOutcome } from '../plan.ts'
import type { Processor } from '../processors/processor.ts'
import { StreamError } from '../stream-error.ts'
import { loadOf } from './load.ts'

export const PICKER_POLICIES = ['round-robin', 'least-loaded', 'prefix', 'fixed', 'all'] as const
type PickerPolicy = (typeof PICKER_POLICIES)[number]

const POLICY = 'svc-epp'
const DESTINATION = 'x-gateway-destination-endpoint'
const LB = 'envoy.lb'
const SUBSET_HINT = 'envoy.lb.subset_hint'
const SUBSET = 'x-gateway-destination-endpoint-subset'
const SERVED = 'x-gateway-destination-endpoint-served'
/** Of the conformance tests. */
const SELECTION = 'test-epp-endpoint-selection'
const SHOWN = 'x-conformance-test-served-endpoint'
const OBJECTIVE = 'x-gateway-inference-objective'
const SHEDDABLE = 'sheddable'
const PREFIX_CHARACTERS = 256
const INVALID_ARGUMENT = 3
const HOUR_MS = 3_600_000

type PickerSvc = Pick<Svc, 'state' | 'budgets' | 'config' | 'instance'>

interface Parts {
  endpoints(): readonly string[]
  /** Undefined without the plugin `llm`: then no endpoint has a load. */
  providers: Providers | undefined
}

export function endpointPicker(svc: PickerSvc, { endpoints, providers }: Parts): Processor {
  const { publicMode } = svc.config
  const turns = svc.state<number>('turns', {
    maxCount: publicMode ? 1000 : 10_000,
    ttlMs: HOUR_MS,
    ttlFrom: 'use',
    evict: 'idle',
  })
  const load = (endpoint: string) => loadOf(endpoint, svc.instance, providers)

  const turnOf = async ({ checked }: Message): Promise<number> =>
    (await turns.increment(JSON.stringify([checked.session]))) - 1

  async function pick(message: Message, policy: PickerPolicy, body: Buffer | null): Promise<Changes | Immediate> {
    const candidates = candidatesOf(message, endpoints())
    if (candidates.length === 0) return refusal(503, 'no endpoint is left to pick')
    if (headerOf(message, OBJECTIVE) === SHEDDABLE && candidates.every(endpoint => load(endpoint).isFull))
      return refusal(429, 'every endpoint is full, and the request is sheddable')
    switch (policy) {
      case 'fixed':
        return picked([candidates[0]!])
      case 'all':
        return picked(candidates)
      case 'round-robin':
        return picked([candidates[(await turnOf(message)) % candidates.length]!])
      case 'least-loaded': {
        const loads = candidates.map(endpoint => load(endpoint).running)
        const least = Math.min(...loads)
        const idle = candidates.filter((_, index) => loads[index] === least)
        return picked([idle.length === 1 ? idle[0]! : idle[(await turnOf(message)) % idle.length]!])
      }
      case 'prefix': {
        const json = body === null ? null : jsonOf(body)
        const prompt = json === null ? (body?.toString() ?? '') : promptOf(json, svc.budgets.evaluation())
        const digest = createHash('sha256').update(prompt.slice(0, PREFIX_CHARACTERS)).digest()
        return picked([candidates[digest.readUInt32BE() % candidates.length]!])
      }
    }
  }

  return {
    name: 'epp',
    summary: 'Picks an endpoint of `services.endpoints`, as endpoint pickers of inference gateways do.',
    open() {
      let choice: readonly string[] | null = null
      const keep = (outcome: Changes | Immediate): Changes | Immediate => {
        if (outcome.kind === 'changes') choice = outcome.head!.set![0]![1].split(',')
        return outcome
      }
      return {
        headers: async message => {
          if (message.side === 'response') return served(message, choice)
          const policy = policyOf(message)
          // A request without a body has no prompt.
          return policy === 'prefix' && message.hasMore ? null : keep(await pick(message, policy, null))
        },
        body: message =>
          message.side === 'response' || policyOf(message) !== 'prefix'
            ? null
            : {
                kind: 'whole',
                ofHead: true,
                change: async (body): Promise<WholeOutcome> => keep(await pick(message, 'prefix', body)),
              },
      }
    },
  }
}

function policyOf(message: Message): PickerPolicy {
  const name = message.callMetadata(POLICY) ?? 'round-robin'
  const found = PICKER_POLICIES.find(policy => policy === name)
  if (found !== undefined) return found
  const guess = nearest(name, PICKER_POLICIES)
  throw new StreamError(
    INVALID_ARGUMENT,
    `unknown ${POLICY} ${JSON.stringify(name.slice(0, 100))}${guess === undefined ? '' : ` (did you mean "${guess}"?)`}, expected one of ${PICKER_POLICIES.join(', ')}`,
  )
}

/** The header of conformance tests wins over the hint of the gateway. */
function candidatesOf(message: Message, endpoints: readonly string[]): string[] {
  const selection = headerOf(message, SELECTION)
  if (selection !== undefined) {
    const wanted = listOf([selection])
    return endpoints.filter(endpoint => wanted.includes(endpoint) || wanted.includes(hostOf(endpoint)))
  }
  const hint = message.metadata(SUBSET_HINT, SUBSET)
  if (hint === undefined) return [...endpoints]
  const wanted = listOf(hint)
  return endpoints.filter(endpoint => wanted.includes(endpoint))
}

function listOf(texts: readonly string[]): string[] {
  return texts.flatMap(text => text.split(',').map(part => part.trim())).filter(part => part !== '')
}

/** Without the port, and the brackets of IPv6. */
function hostOf(endpoint: string): string {
  return endpoint.slice(0, endpoint.lastIndexOf(':')).replace(/^\[|\]$/g, '')
}

function picked(endpoints: readonly string[]): Changes {
  const list = endpoints.join(',')
  return {
    kind: 'changes',
    head: { set: [[DESTINATION, list]] },
    metadata: { [LB]: { [DESTINATION]: list } },
    clearsRouteCache: true,
    reason: `picked ${list}`,
  }
}

function served(message: Message, choice: readonly string[] | null): Changes {
  const [endpoint] = message.metadata(LB, SERVED) ?? []
  const shown =
    endpoint ??
    (message.metadata(LB, '') === undefined
      ? 'fail: missing envoy lb metadata'
      : 'fail: missing destination endpoint served metadata')
  return {
    kind: 'changes',
    head: { set: [[SHOWN, shown.replace(/[^\x20-\x7e]/g, '?')]] },
    reason: `picked ${choice?.join(',') ?? 'nothing'}; served ${endpoint ?? 'unknown'}`,
  }
}

function refusal(status: number, details: string): Immediate {
  return {
    kind: 'immediate',
    status,
    head: { set: [['content-type', 'application/json']] },
    body: Buffer.from(JSON.stringify({ error: status === 429 ? 'saturated' : 'no_endpoint', details })),
    grpcStatus: null,
    details: status === 429 ? 'saturated' : 'no_endpoint',
    reason: details,
  }
}

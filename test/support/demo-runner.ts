/** Runs demos against a server of a test, through a gateway or straight to svc. */
import { join } from 'node:path'
import { readDefinitions } from '../../plugins/grpc/definitions.ts'
import { createClient } from '../../plugins/probe/client/offered-client.ts'
import { compareSeen } from '../../plugins/probe/wires/compare-seen.ts'
import { continuedItems, readSeenReply } from '../../plugins/probe/wires/continued-conversation.ts'
import { WIRES } from '../../plugins/probe/wires/wires.ts'
import type { ClientAddress, ProbeClient } from '../../plugins/probe/types.ts'
import { BOUNDS } from '../../plugins/demos/file/bounds.ts'
import type { Demo, Step } from '../../plugins/demos/file/demo.ts'
import { readDemoText, problemText } from '../../plugins/demos/file/demo-document.ts'
import { withValues } from '../../plugins/demos/file/read-demo.ts'
import { directTarget, type RunContext } from '../../plugins/demos/run/context.ts'
import { ControlClient } from '../../plugins/demos/run/control.ts'
import { DemoRun, type DemoResult } from '../../plugins/demos/run/demo-run.ts'

export interface RunnerOptions {
  set?: Record<string, unknown>
  /** Is called before each step. */
  onStep?(step: Step): void
  /** Does what a step asks of a person; without it nothing is done. */
  onAsk?(): void
}

/** Resolves with a function that runs the demo; null: straight to svc. */
export async function demoRunner(
  url: string,
  demo: Demo,
  { set = {}, onStep, onAsk }: RunnerOptions = {},
): Promise<(gateway: string | null) => Promise<DemoResult>> {
  const client = timed(createClient())
  const addressOf = (text: string): Promise<ClientAddress> => {
    const address = client.address(text)
    if (typeof address === 'string') throw new Error(address)
    return client.resolve(address)
  }
  const control = new ControlClient(client, await addressOf(url), null)
  return async gateway => {
    const direct = directTarget(control, [])
    const target = gateway === null ? direct : { ...direct, address: await addressOf(gateway), isDirect: false }
    return new DemoRun({
      demo,
      values: withValues(demo.variables, set),
      context: {
        client,
        ...BORROWED,
        control,
        laneControls: {},
        target,
        bounds: BOUNDS,
        signal: new AbortController().signal,
      },
      ask: () => {
        onAsk?.()
        return Promise.resolve(onAsk !== undefined)
      },
      stopAtFirst: false,
      fromStep: 1,
      events: onStep === undefined ? {} : { onStep },
    }).run()
  }
}

/** What the server has of other plugins. */
const BORROWED: Pick<RunContext, 'conversations' | 'agentsFolder' | 'grpcDefinitions'> = {
  conversations: () =>
    Promise.resolve({
      compare: (sent, arrived) => compareSeen(sent, arrived, WIRES),
      read: (request, answer) => readSeenReply(request, answer, WIRES),
      continued: (request, turn) => continuedItems(request, turn, WIRES),
    }),
  agentsFolder: join(import.meta.dirname, '../../plugins/demos/agents'),
  grpcDefinitions: set => Promise.resolve(readDefinitions(set)),
}

/** A demo of a test, which has these steps. Throws for one that is not valid. */
export function demoOf(steps: unknown, further: object = {}): Demo {
  const head = { demo: 'test', title: 'Test', area: 'traffic', shows: 'Test.', route: { path: '/anything/**' } }
  const read = readDemoText(JSON.stringify({ ...head, ...further, steps }))
  if ('demo' in read) return read.demo
  throw new Error(read.problems.map(problem => problemText('test', problem)).join('\n'))
}

/** Answers take as long as the timer of the gateway was, however busy the machine is. */
function timed(client: ProbeClient): ProbeClient {
  return {
    ...client,
    async exchange(spec, options) {
      const exchange = await client.exchange(spec, options)
      for (const answer of exchange.answers) {
        const [held] = answer?.field('x-held-ms') ?? []
        if (answer != null && held !== undefined) Object.assign(answer, { endAtMs: answer.sentAtMs + Number(held) })
      }
      return exchange
    },
  }
}

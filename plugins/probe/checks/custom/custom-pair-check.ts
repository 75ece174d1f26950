/** Makes a check of the catalog of one for pairs of wires that another plugin has written. */
import { impactOf, type Check, type PairContext } from '../../catalog/check.ts'
import { CATALOGUE } from '../../catalog/version.ts'
import { nameOfPair } from '../../pairs/pair.ts'
import { pairCheck } from '../../pairs/pair-check.ts'
import type { CheckPair, CustomPairCheck, PairStep, PairStepRecord } from '../../types.ts'
import { emptyRequest } from '../../wires/neutral.ts'
import type { Aspect, AspectVerdict, Pair, Scene, SceneEvidence } from '../translate/types.ts'
import { checkedVerdict } from './custom-check.ts'
import { pairStepsProblem } from './validation.ts'

export function pairCheckOf(custom: CustomPairCheck): Check {
  const { id, title, group, level, sources = [], page } = custom
  const aspect: Aspect = {
    id,
    title,
    group,
    level,
    impact: impactOf(custom),
    sources,
    scenes: pair => scenesOf(custom, pair),
    judge: (evidence, { pair }) => judged(custom, evidence, pair),
  }
  const check = pairCheck(aspect, page, CATALOGUE)
  const { isAlone = false, breaksUpstream = false } = custom
  const when = { ...check.when, alone: isAlone, breaks: breaksUpstream }
  return {
    ...check,
    when,
    forPair(context) {
      try {
        const made = check.forPair!(context)
        return { ...made, when: { ...made.when, ...when } }
      } catch (error) {
        return failing(check, context, error as Error)
      }
    },
  }
}

/** Its verdict is `error`. */
function failing(check: Check, { pair }: PairContext, error: Error): Check {
  const { forPair: _made, ...own } = check
  return {
    ...own,
    pair: nameOfPair(pair),
    plan() {
      throw error
    },
  }
}

const shown = ({ client, upstream, model }: Pair): CheckPair => ({ client: client.id, upstream: upstream.id, model })

/** Throws for steps that are not valid. */
function scenesOf({ steps, breaksUpstream = false }: CustomPairCheck, pair: Pair): Scene[] {
  const list = steps(shown(pair))
  const problem = pairStepsProblem(list)
  if (problem !== null) throw new Error(problem)
  return list.map(
    ({ name, request, isStream = false, answer = { reply: { text: 'Done.' } } }: PairStep): Scene => ({
      id: name,
      modes: [isStream ? 'stream' : 'plain'],
      operation: 'generate',
      request: { ...emptyRequest(), ...request },
      reply: answer,
      ...(breaksUpstream ? { breaks: true } : {}),
    }),
  )
}

function judged({ judge }: CustomPairCheck, evidence: readonly SceneEvidence[], pair: Pair): AspectVerdict {
  const { verdict, summary, values } = checkedVerdict(judge(evidence.map(recordOf), shown(pair)))
  return { verdict: verdict as AspectVerdict['verdict'], detail: summary, differences: [], values }
}

function recordOf({ scene, exchanges }: SceneEvidence): PairStepRecord {
  const { sent, arrivals, answered, received } = exchanges[0]!
  return {
    name: scene.id,
    sent: sent.request!,
    arrivals: arrivals.flatMap(({ request }) => request ?? []),
    answered: answered?.reply ?? null,
    received: received?.reply ?? null,
    error: received?.error ?? null,
    status: received?.native.status ?? null,
  }
}

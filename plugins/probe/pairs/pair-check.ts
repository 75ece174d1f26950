/** Checks of the group `translate`: an aspect of a conversation, for each pair of wires. */
import type { Check, CheckPage, PairContext, Verdict } from '../catalog/check.ts'
import type { Aspect, AspectVerdict, SceneEvidence } from '../checks/translate/types.ts'
import type { Evidence } from '../client/evidence.ts'
import { nameOfPair } from './pair.ts'
import { sceneEvidence } from './scene-evidence.ts'
import { planOf, plannedScenes } from './scene-requests.ts'

/** Differences that a result shows. */
const MAX_DIFFERENCES = 50
/** Characters of a value of a difference. */
const MAX_TEXT = 200
const NO_PAIR = 'no pair of wires'

/** The check of the catalog, which a run makes into one for each pair. */
export function pairCheck(aspect: Aspect, page: CheckPage, since: string): Check {
  const { id, title, group = 'translate', level, impact, sources = [] } = aspect
  const check: Check = {
    id,
    title,
    group,
    since,
    level,
    impact,
    sources,
    page,
    when: { pairs: true, judgesRefusal: true, ...(aspect.comparesDirect === true ? { comparesDirect: true } : {}) },
    plan: () => ({ connections: [] }),
    judge: () => ({ verdict: 'skip', summary: NO_PAIR, values: {} }),
    forPair: context => checkOfPair(check, aspect, context),
  }
  return check
}

function checkOfPair(check: Check, aspect: Aspect, { pair, wires, marks, embeddings, fields }: PairContext): Check {
  const { limits } = pair.client
  const scenes = aspect
    .scenes(pair, { embeddings })
    .filter(({ needs = [] }) => !needs.some(limit => limits.request.has(limit)))
  const planned = plannedScenes(scenes)
  const context = { client: pair.client, model: pair.model, marks, fields }
  const { forPair: _made, ...own } = check
  return {
    ...own,
    pair: nameOfPair(pair),
    when: { ...check.when, ...(scenes.some(({ breaks }) => breaks === true) ? { breaks: true } : {}) },
    plan: () => planOf(planned, context),
    judge(evidence, _facts, direct) {
      if (planned.length === 0) return { verdict: 'skip', summary: 'a wire of the pair cannot say it', values: {} }
      const found = sceneEvidence(evidence, planned, pair, wires)
      // Of the client wire on both sides.
      const own = direct === null ? [] : sceneEvidence(direct, planned, { ...pair, upstream: pair.client }, wires)
      return verdictOf(aspect.judge(found, { pair, marks, direct: own }), found, evidence)
    },
  }
}

function verdictOf(
  { verdict, detail, differences, values = {} }: AspectVerdict,
  scenes: readonly SceneEvidence[],
  evidence: Evidence,
): Verdict {
  const repeated = scenes.flatMap(({ scene, mode, exchanges }) =>
    exchanges.flatMap(({ arrivals }, turn) =>
      arrivals.length > 1 ? [{ scene: scene.id, mode, turn: turn + 1, arrivals: arrivals.length }] : [],
    ),
  )
  const requests = evidence.calls.length
  const sentAgain = evidence.exchanges.reduce((sum, { record }) => sum + (record.sentAgain ?? 0), 0)
  return {
    verdict,
    summary: detail,
    values: {
      ...values,
      requests,
      ...(differences.length === 0
        ? {}
        : {
            differences: differences.slice(0, MAX_DIFFERENCES).map(({ sent, got, ...rest }) => ({
              ...rest,
              ...(sent === undefined ? {} : { sent: shortened(sent) }),
              ...(got === undefined ? {} : { got: shortened(got) }),
            })),
          }),
      ...(differences.length > MAX_DIFFERENCES ? { more_differences: differences.length - MAX_DIFFERENCES } : {}),
      ...(repeated.length === 0 ? {} : { repeated }),
      ...(sentAgain === 0 ? {} : { sent_again: sentAgain }),
    },
  }
}

/** Values that are small stay what they are. */
function shortened(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= MAX_TEXT ? value : `${text.slice(0, MAX_TEXT)}…`
}

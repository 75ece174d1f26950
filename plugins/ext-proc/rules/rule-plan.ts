/** What a rule changes in a stream. */
import type { JsonObject, OutputBudget, StepBudget } from 'svc/plugin'
import {
  applyJsonPatch,
  expandHeaderChanges,
  expandText,
  expandTexts,
  expandValue,
  InputProblem,
  type LookUp,
  parseExactJson,
  writeJson,
} from 'svc/toolkit'
import { isNested, jsonText } from '../bodies/texts.ts'
import { replaceWith } from '../bodies/pieces.ts'
import { isEncoded, type BodyChange, type Changes, type HeadChanges, type Plan, type WholeOutcome } from '../plan.ts'
import type { Side } from '../phase.ts'
import type { BodyStep, ImmediateStep, MutateStep, SideStep } from './mutate.ts'

export interface Filling {
  rule: string
  lookUp: LookUp
  output: OutputBudget
  steps(): StepBudget
}

/** Throws the errors of the budgets. */
export function rulePlan(step: unknown, filling: Filling): Plan {
  const { request, response, immediate, metadata, mode } = step as MutateStep
  const reason = `changed by the rule ${filling.rule}`
  if (immediate !== null) {
    const outcome = immediateOf(immediate, filling)
    return {
      by: 'rule',
      headers: () => outcome,
      body: () => ({ kind: 'whole', ofHead: false, change: () => outcome }),
      trailers: () => outcome,
    }
  }
  const sides: Record<Side, FilledSide> = {
    request: filledSide(request, filling),
    response: filledSide(response, filling),
  }
  // With the first answer.
  let given = metadata === null ? null : (expandTexts(metadata, filling.lookUp, filling.output) as JsonObject)
  const takeMetadata = (): Pick<Changes, 'metadata'> => {
    const taken = given
    given = null
    return taken === null ? {} : { metadata: taken }
  }
  return {
    by: 'rule',
    headers({ side }) {
      const { head, clearsRouteCache } = sides[side]
      return {
        kind: 'changes',
        reason,
        ...(head === null ? {} : { head }),
        ...(clearsRouteCache ? { clearsRouteCache } : {}),
        ...(mode === null ? {} : { mode }),
        ...takeMetadata(),
      }
    },
    body(message) {
      const { body } = sides[message.side]
      if (body === null) return null
      if (body.kind !== 'text' && isEncoded(message))
        return {
          kind: 'whole',
          ofHead: false,
          change: () => unchanged(message.side, 'the body has a content coding'),
        }
      return bodyChange(body, filling, { side: message.side, reason })
    },
    trailers({ side }) {
      const { trailers } = sides[side]
      return trailers === null ? null : { kind: 'changes', head: trailers, reason, ...takeMetadata() }
    },
  }
}

interface FilledSide {
  head: HeadChanges | null
  trailers: HeadChanges | null
  clearsRouteCache: boolean
  body: BodyStep | null
}

function filledSide(side: SideStep | null, filling: Filling): FilledSide {
  if (side === null) return { head: null, trailers: null, clearsRouteCache: false, body: null }
  const { head, trailers, clearsRouteCache, body } = side
  return {
    head: expandHeaderChanges(head, filling.lookUp, filling.output),
    trailers: trailers === null ? null : expandHeaderChanges(trailers, filling.lookUp, filling.output),
    clearsRouteCache,
    body: body?.kind === 'text' ? { ...body, text: expandText(body.text, filling.lookUp, filling.output) } : body,
  }
}

function immediateOf({ status, head, body, grpcStatus, details }: ImmediateStep, filling: Filling): WholeOutcome {
  const { rule, lookUp, output } = filling
  const isText = typeof body === 'string'
  const filled = expandHeaderChanges(head, filling.lookUp, filling.output)
  const text = isText ? expandText(body, lookUp, output) : writeJson(expandValue(body, lookUp, output))
  const hasType = head.set.some(([name]) => name.toLowerCase() === 'content-type')
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json'
  return {
    kind: 'immediate',
    status,
    head: { ...filled, set: [...(hasType || text === '' ? [] : ([['content-type', type]] as const)), ...filled.set] },
    body: Buffer.from(text),
    grpcStatus,
    details: details === '' ? 'rule' : expandText(details, lookUp, output),
    reason: `answered by the rule ${rule}`,
  }
}

function bodyChange(
  body: BodyStep,
  { lookUp, output, steps }: Filling,
  { side, reason }: { side: Side; reason: string },
): BodyChange {
  switch (body.kind) {
    case 'text':
      return { kind: 'pieces', pieces: replaceWith(Buffer.from(body.text)) }
    case 'replace': {
      const pairs = body.pairs.map(([from, to]) => [from, expandText(to, lookUp, output)] as const)
      return {
        kind: 'whole',
        ofHead: false,
        change(bytes) {
          const budget = steps()
          let text = bytes.toString()
          for (const [from, to] of pairs) {
            budget.take(text.length)
            const parts = text.split(from)
            output.require(text.length + (parts.length - 1) * (to.length - from.length))
            text = parts.join(to)
          }
          output.take(text.length)
          return { kind: 'changes', body: Buffer.from(text), reason }
        },
      }
    }
    case 'patch':
      return {
        kind: 'whole',
        ofHead: false,
        change(bytes) {
          const text = jsonText(bytes)
          if (text === null || !isNested(text)) return unchanged(side, 'the body is not JSON')
          try {
            const value = parseExactJson(text)
            const fill = (given: Parameters<typeof expandValue>[0]) => expandValue(given, lookUp, output)
            const patched = applyJsonPatch(value, body.patch, { output, steps: steps(), fill })
            return { kind: 'changes', body: Buffer.from(writeJson(patched)), reason }
          } catch (error) {
            if (error instanceof SyntaxError) return unchanged(side, 'the body is not JSON')
            if (error instanceof InputProblem)
              return unchanged(side, `the patch does not fit: ${error.at} ${error.message}`)
            throw error
          }
        },
      }
  }
}

function unchanged(side: Side, reason: string): Changes {
  return { kind: 'changes', leftOut: [`${side}.body`], reason }
}

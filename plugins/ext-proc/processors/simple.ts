/** Processors that need nothing but the message. */
import type { PersonalData } from '../../guardrails/types.ts'
import { Redaction, upperCase } from '../bodies/pieces.ts'
import { jsonOf, modelOf } from '../bodies/texts.ts'
import { isEncoded, type Changes, type HeadChanges, type Message } from '../plan.ts'
import type { Processor } from './processor.ts'

const PROCESSED = 'x-svc-processed'
const MODEL = 'x-svc-model'

export const none: Processor = { name: 'none', summary: 'Continues in every phase.', open: () => ({}) }

/** Shows the phases so far of each side. */
export const tag: Processor = {
  name: 'tag',
  summary: `Sets \`${PROCESSED}\` on the request and the response: the phases of each so far.`,
  open: () => ({
    headers: message => ({ kind: 'changes', head: processed(message), reason: 'tagged' }),
    body: message => ({ kind: 'late head', head: () => processed(message) }),
  }),
}

function processed({ phases }: Message): HeadChanges {
  return { set: [[PROCESSED, phases.join(',')]] }
}

export const upper: Processor = {
  name: 'upper',
  summary: 'Changes bodies to upper case (ASCII).',
  open: () => ({ body: message => (isEncoded(message) ? null : { kind: 'pieces', pieces: upperCase() }) }),
}

/** `personalData` is undefined without the plugin `guardrails`: then nothing is changed. */
export function redact(personalData: PersonalData | undefined): Processor {
  return {
    name: 'redact',
    summary: 'Redacts personal data in bodies.',
    open: () => ({
      body: message =>
        personalData === undefined || isEncoded(message)
          ? null
          : { kind: 'pieces', pieces: new Redaction(personalData) },
    }),
  }
}

export const modelRouter: Processor = {
  name: 'model-router',
  summary: `Sets \`${MODEL}\` to the model of a JSON request, for the route.`,
  open: () => ({
    body: ({ side }) =>
      side === 'response'
        ? null
        : {
            kind: 'whole',
            ofHead: true,
            change(body): Changes {
              const model = modelOf(jsonOf(body))
              if (model === null) return { kind: 'changes', reason: 'the body has no model' }
              return {
                kind: 'changes',
                head: { set: [[MODEL, model.replace(/[^\x21-\x7e]/g, '?').slice(0, 256)]] },
                clearsRouteCache: true,
                reason: 'routed by the model',
              }
            },
          },
  }),
}

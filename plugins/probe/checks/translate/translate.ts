/** The group `translate`: what gateways lose between wires. */
import type { Check, CheckPage } from '../../catalog/check.ts'
import { pairCheck } from '../../pairs/pair-check.ts'
import { CALLS } from './calls.ts'
import { FINISH, USAGE } from './ends.ts'
import { TRN_PAIRS } from './pairs.ts'
import { TEXT } from './text.ts'
import type { Aspect } from './types.ts'

const SINCE = '2026.2'

const PAGES: readonly (readonly [Aspect, CheckPage])[] = [
  [
    TEXT,
    {
      sent: 'Conversations with spaces, blank lines, combining characters, emoji, and text that looks like markup or a control token; replies with the same.',
      expected: 'The same texts in the same turns, in both directions.',
      why: 'A model that reads another text gives another answer, and code loses its indentation.',
    },
  ],
  [
    CALLS,
    {
      sent: 'Requests with tools, which are answered with one or two calls, plain and streamed.',
      expected: 'The same calls in the same order, with the same arguments, each with its own id.',
      why: 'An agent runs what it is given: a call that is missing or joined with another one breaks its loop.',
    },
  ],
  [
    FINISH,
    {
      sent: 'Requests whose replies end for different reasons: complete, too long, tool calls, a stop sequence, a filter, a refusal.',
      expected: 'The reason in the words of the client.',
      why: 'Clients decide by the reason whether they run tools, ask for more, or show an error.',
    },
  ],
  [
    USAGE,
    {
      sent: 'Requests whose replies have usage with a different number in each figure, and one without output.',
      expected: 'The same numbers in the members of the client, plain and streamed.',
      why: 'Users are billed, and budgets are enforced, by these numbers.',
    },
  ],
]

export const TRANSLATE_CHECKS: readonly Check[] = [
  TRN_PAIRS,
  ...PAGES.map(([aspect, page]) => pairCheck(aspect, page, SINCE)),
]

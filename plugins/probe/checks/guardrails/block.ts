/** Whether the gateway has a guardrail at all, and whether all client wires have it. */
import { fail, note, pass, skip, type PairContext } from '../../catalog/check.ts'
import type { Evidence } from '../../client/evidence.ts'
import type { ModelCall } from '../../pairs/model-calls.ts'
import {
  ANSWER,
  areRepliesGuarded,
  cleanCall,
  fateInReply,
  fateInRequest,
  guardCheck,
  isForwarded,
  isGuarded,
  promptCall,
  question,
  QUESTION,
  replyCall,
  textPart,
  withValue,
  type Fate,
} from './guarded.ts'

const WORDS: Readonly<Record<Fate, string>> = {
  stopped: 'stopped',
  masked: 'masked',
  passes: 'pass',
  absent: 'not seen',
}

export const GRD_BLOCK = guardCheck({
  id: 'GRD-BLOCK',
  title: 'What a guardrail stops',
  level: 'observation',
  impact: 'low',
  page: {
    sent: 'A prompt with the value of `guardrails.value`, and a request whose reply has it.',
    expected: 'Nothing: the other checks of the group need a guardrail that stops or masks the value.',
    why: 'A guardrail that does not act, or only on prompts, is noticed when something got through.',
  },
  calls: ([context], value) => [cleanCall(context), promptCall(context, value), replyCall(context, value)],
  judge(evidence, [context], value) {
    if (!isForwarded(evidence, context)) return skip(refusalOf(evidence, context))
    const prompts = fateInRequest(evidence, promptCall(context, value), value)
    const replies = fateInReply(evidence, replyCall(context, value), value)
    const values = { prompts, replies }
    if (!isGuarded(prompts) && !areRepliesGuarded(evidence, context, value))
      return note('neither prompts nor replies are guarded', values)
    return note(`values in prompts ${said(prompts)}, in replies ${said(replies)}`, values)
  },
})

const said = (fate: Fate): string => (isGuarded(fate) ? `are ${WORDS[fate]}` : WORDS[fate])

/** What is refused without the value too says nothing about a guardrail. */
function refusalOf(evidence: Evidence, context: PairContext): string {
  return `a request without the value does not arrive: ${evidence.call(cleanCall(context).label).status ?? 'closed'}`
}

/** Where a prompt can have the value. */
const PLACES = ['prompt', 'system', 'second turn'] as const
type Place = (typeof PLACES)[number]
const SHOWN: Readonly<Record<Place, string>> = {
  prompt: 'a prompt',
  system: 'a system text',
  'second turn': 'a second turn',
}

function placeCall(context: PairContext, place: Place, value: string): ModelCall {
  if (place === 'prompt') return promptCall(context, value)
  const text = withValue(value)
  const request =
    place === 'system'
      ? question(QUESTION, { system: [{ text, after: 0 }] })
      : question('', {
          turns: [
            { role: 'user', parts: [textPart(QUESTION)] },
            { role: 'assistant', parts: [textPart('I do not see one.')] },
            { role: 'user', parts: [textPart(text)] },
          ],
        })
  return { label: `${place} ${context.pair.client.id}`, context, request, mode: 'plain', step: ANSWER }
}

export const GRD_ROUTES = guardCheck({
  id: 'GRD-ROUTES',
  title: 'Every wire is guarded',
  level: 'integrity',
  page: {
    sent: 'The value in a prompt, a system text and a second turn, on every client wire.',
    expected: 'What is stopped or masked on one wire is so on all others.',
    why: 'A guardrail that only one of the APIs has is avoided by using another one.',
    seen: ['BerriAI/litellm#14152'],
  },
  calls: (clients, value) =>
    clients.flatMap(context => [cleanCall(context), ...PLACES.map(place => placeCall(context, place, value))]),
  judge(evidence, clients, value) {
    const usable = clients.filter(context => isForwarded(evidence, context))
    if (usable.length === 0) return skip('no request without the value arrives')
    const found = PLACES.map(place => {
      const fates = usable.map(context => fateInRequest(evidence, placeCall(context, place, value), value))
      const idsOf = (isWanted: (fate: Fate) => boolean): string[] =>
        usable.filter((_context, index) => isWanted(fates[index]!)).map(({ pair }) => pair.client.id)
      return { place, guarded: idsOf(isGuarded), open: idsOf(fate => fate === 'passes') }
    })
    const values = Object.fromEntries(found.map(({ place, guarded, open }) => [place, { guarded, open }]))
    if (found.every(({ guarded }) => guarded.length === 0)) return skip('no prompt is guarded')
    const holes = found.filter(({ guarded, open }) => guarded.length > 0 && open.length > 0)
    if (holes.length > 0) {
      const texts = holes.map(
        ({ place, guarded, open }) => `${SHOWN[place]} arrives on ${open.join(', ')}, and not on ${guarded.join(', ')}`,
      )
      return fail(texts.join('; '), values)
    }
    const unguarded = found.filter(({ guarded }) => guarded.length === 0).map(({ place }) => SHOWN[place])
    if (unguarded.length > 0) return note(`not guarded on any wire: ${unguarded.join(', ')}`, values)
    return usable.length === 1 ? note(`only one client wire: ${usable[0]!.pair.client.id}`, values) : pass('', values)
  },
})

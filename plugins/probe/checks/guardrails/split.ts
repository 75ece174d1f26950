/** Whether a guardrail of replies sees what a stream has in several deltas. */
import { fail, note, pass, skip, type PairContext } from '../../catalog/check.ts'
import { exchangeOf, replyStep, textOfReply, type ModelCall } from '../../pairs/model-calls.ts'
import { areRepliesGuarded, cleanCall, guardCheck, question, QUESTION, replyCall, withValue } from './guarded.ts'

/** Characters of a delta. */
const SIZES = [1, 3, 4]

function splitCall(context: PairContext, value: string, size: number): ModelCall {
  return {
    label: `split ${size} ${context.pair.client.id}`,
    context,
    request: question(QUESTION),
    mode: 'stream',
    step: replyStep({ text: withValue(value), stream: { delta_chars: size } }),
  }
}

export const GRD_SPLIT = guardCheck({
  id: 'GRD-SPLIT',
  title: 'Values split over deltas',
  level: 'integrity',
  page: {
    sent: 'Streams whose reply has the value in deltas of one, three and four characters, on every client wire.',
    expected: 'The value does not reach the client, as it does not in a plain reply.',
    why: 'A guardrail that looks at one delta at a time sees no value that is longer than a token.',
    seen: ['BerriAI/litellm#41611'],
  },
  calls: (clients, value) =>
    clients.flatMap(context => [
      cleanCall(context),
      replyCall(context, value),
      ...SIZES.map(size => splitCall(context, value, size)),
    ]),
  judge(evidence, clients, value) {
    const guarded = clients.filter(context => areRepliesGuarded(evidence, context, value))
    if (guarded.length === 0) return skip('no plain reply is guarded')
    const whole: string[] = []
    const partial: string[] = []
    for (const context of guarded)
      for (const size of SIZES) {
        const { received } = exchangeOf(evidence, splitCall(context, value, size))
        const text = received?.reply == null ? '' : textOfReply(received.reply)
        const name = `${context.pair.client.id} in deltas of ${size}`
        if (text.includes(value)) whole.push(name)
        else if (text.includes(value.slice(0, Math.floor(value.length / 2) + 1))) partial.push(name)
      }
    const values = { wires: guarded.map(({ pair }) => pair.client.id), whole, partial }
    if (whole.length > 0) return fail(`the value reaches the client: ${whole.join(', ')}`, values)
    if (partial.length > 0) return note(`more than half of the value reaches the client: ${partial.join(', ')}`, values)
    return pass('', values)
  },
})

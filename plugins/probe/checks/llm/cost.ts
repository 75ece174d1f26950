/** The cost of a call, as the gateway states it. */
import { fail, pass, skip, type Check, type PairContext } from '../../catalog/check.ts'
import { connectionOf, exchangeOf, replyStep, type ModelCall } from '../../pairs/model-calls.ts'
import { nameOfPair } from '../../pairs/pair.ts'
import type { Prices } from '../../pairs/llm-routes.ts'
import type { Usage } from '../../wires/types.ts'
import { question } from './model-scenes.ts'

const MILLION = 1_000_000
/** Deviations up to the larger one are rounding: a share, and dollars. */
const SHARE = 0.001
const DOLLARS = 1e-9

function costCall(context: PairContext): ModelCall {
  const usage = { prompt_tokens: 12_007, cached_tokens: 5_003, completion_tokens: 2_011, reasoning_tokens: 907 }
  return {
    label: 'cost',
    context,
    request: question('What does it cost?'),
    mode: 'plain',
    step: replyStep({ text: 'It costs this.', usage }),
  }
}

/** Dollars. */
export function costOf(usage: Usage, prices: Prices): number {
  const { input = 0, cached = 0, write = 0, write_1h: hour = 0, output = 0 } = counted(usage)
  const { cached: ofCached = prices.input, cache_write_5m: short = prices.input, cache_write_1h: long = short } = prices
  const ordinary = input - cached - write
  return (
    (ordinary * prices.input + cached * ofCached + (write - hour) * short + hour * long + output * prices.output) /
    MILLION
  )
}

function counted(usage: Usage): Record<keyof Usage, number> {
  return Object.fromEntries(Object.entries(usage).map(([key, value]) => [key, value ?? 0])) as Record<
    keyof Usage,
    number
  >
}

/** Mistakes that lead to another sum, each with the sum. */
function mistakes(usage: Usage, prices: Prices): [text: string, dollars: number][] {
  const right = costOf(usage, prices)
  const { cached, reasoning, input, output } = counted(usage)
  const { cached: ofCached = prices.input, cache_write_5m: short = prices.input } = prices
  return [
    ['cached tokens at the full price', right + (cached * (prices.input - ofCached)) / MILLION],
    ['cached tokens for nothing', right - (cached * ofCached) / MILLION],
    ['cached tokens twice', right + (cached * prices.input) / MILLION],
    ['reasoning twice', right + (reasoning * prices.output) / MILLION],
    ['without reasoning', right - (reasoning * prices.output) / MILLION],
    ['writes for one hour as those for five minutes', costOf(usage, { ...prices, cache_write_1h: short })],
    ['only input and output', (input * prices.input + output * prices.output) / MILLION],
    ['nothing', 0],
  ]
}

const isSame = (stated: number, expected: number): boolean =>
  Math.abs(stated - expected) <= Math.max(DOLLARS, Math.abs(expected) * SHARE)

export const LLM_COST: Check = {
  id: 'LLM-COST',
  title: 'The cost is true',
  group: 'llm',
  since: '2026.2',
  level: 'integrity',
  sources: [],
  when: { pairs: true, judgesRefusal: true },
  page: {
    sent: 'A request whose reply has usage with cached tokens and reasoning.',
    expected: 'The cost that the gateway states is the sum of the tokens at the prices of --routes.',
    why: 'Budgets and invoices are made of this number.',
    seen: ['BerriAI/litellm#11364'],
  },
  plan: () => ({ connections: [] }),
  judge: () => skip('no pair of wires'),
  forPair(context) {
    const { forPair: _made, ...own } = LLM_COST
    return {
      ...own,
      pair: nameOfPair(context.pair),
      plan: ({ models: { cost } }) => ({ connections: cost === null ? [] : [connectionOf(costCall(context))] }),
      judge(evidence, { models: { cost } }) {
        if (cost === null) return skip('not in --routes: llm.cost')
        const prices = cost.byModel[context.pair.model] ?? cost.all
        if (prices === null) return skip(`no price of ${context.pair.model} in --routes`)
        const { answered, received } = exchangeOf(evidence, costCall(context))
        const usage = answered?.reply?.usage ?? null
        if (usage === null || received?.reply == null) return skip(`not routed: ${evidence.first.status ?? 'closed'}`)
        const [text] = evidence.first.values(cost.header.toLowerCase())
        const stated = text === undefined || text.trim() === '' ? Number.NaN : Number(text)
        if (Number.isNaN(stated)) return skip(`no cost in ${cost.header}`)
        const expected = costOf(usage, prices)
        const values = { stated, expected, usage }
        if (isSame(stated, expected)) return pass('', values)
        const why = mistakes(usage, prices).find(([, dollars]) => isSame(stated, dollars))?.[0]
        return fail(`states ${stated} dollars instead of ${expected}${why === undefined ? '' : ` (${why})`}`, values)
      },
    }
  },
}

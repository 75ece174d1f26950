/** The table of budgets in docs/hardening.md. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readEnvironment, variables } from '../support/environment.ts'
import { root } from '../support/sources.ts'

const UNITS: Record<string, number> = { KiB: 1024, MiB: 1024 ** 2, ms: 1 }

/** `16 MiB`, `20 ms` or `5,000,000` as a number. */
function valueOf(text: string): number {
  const [number, unit] = text.replaceAll(',', '').split(' ')
  return Number(number) * (unit === undefined ? 1 : UNITS[unit]!)
}

t.test('the table has all budgets, with their variables and their defaults by mode [SEC-13]', async t => {
  const page = readFileSync(join(root, 'docs', 'hardening.md'), 'utf8')
  const section = /^## Budgets\n([^]*?)^## /m.exec(page)![1]!
  const rows = [...section.matchAll(/^\| `(\w+)` \| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]
  const listed = rows.map(([, budget, variable, byDefault, inPublic]) => ({
    budget,
    variable,
    values: [valueOf(byDefault!), valueOf(inPublic!)],
  }))
  const modes = [{}, { SVC_PUBLIC_MODE: 'true' }].map(env => readEnvironment(env).config.budgets)
  const names = variables.map(({ name }) => name).filter(name => name.startsWith('SVC_BUDGET_'))
  t.strictSame(
    listed.map(({ variable }) => variable),
    names,
  )
  t.strictSame(listed.map(({ budget }) => budget).toSorted(), Object.keys(modes[0]!).toSorted())
  for (const { budget, variable, values } of listed) {
    t.strictSame(
      values,
      modes.map(budgets => budgets[budget as keyof typeof budgets]),
      `${variable}`,
    )
    // The variable of the row sets the budget of the row.
    const doubled = String(2 * values[0]!)
    const { budgets } = readEnvironment({ [variable!]: doubled }).config
    t.equal(budgets[budget as keyof typeof budgets], Number(doubled), `${variable} sets ${budget}`)
  }
})

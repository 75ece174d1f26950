/** The cost of guardrail checks as texts grow: milliseconds for 64 KiB to 1 MiB of ordinary and hostile content. */
import { registerBuiltIn } from '../plugins/guardrails/built-in.ts'
import { checkText } from '../plugins/guardrails/check.ts'
import { createRegistry } from '../plugins/guardrails/registry.ts'

const registry = createRegistry('guardrails')
registerBuiltIn(registry)

const SIZES = [64, 128, 256, 512, 1024].map(kibibytes => kibibytes * 1024)
const UNITS: Record<string, string> = {
  'ordinary text': 'The quick brown fox wrote to post@example.org at 10.0.0.1 and called 555-010-9999. ',
  'one letter': 'a',
  'a@': 'a@',
  'digits and spaces': '1 ',
  brackets: '(',
  colons: ':',
  'plus one': '+1',
  'ignore all of the': 'ignore all of the ',
  'card groups': '4111 ',
}

console.log(`${'content'.padEnd(20)}${SIZES.map(size => `${size / 1024} KiB`.padStart(11)).join('')}   1 MiB / 512 KiB`)
for (const [name, unit] of Object.entries(UNITS)) {
  const times = SIZES.map(size => {
    const text = unit.repeat(Math.ceil(size / unit.length)).slice(0, size)
    const startedAt = performance.now()
    checkText(registry, text)
    return performance.now() - startedAt
  })
  console.log(
    `${name.padEnd(20)}${times.map(ms => `${ms.toFixed(1)} ms`.padStart(11)).join('')}   ${(times.at(-1)! / times.at(-2)!).toFixed(1)}`,
  )
}

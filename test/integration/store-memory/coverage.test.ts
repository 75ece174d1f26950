/** Which stores have a worst case [HARD-12]. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

t.test(
  'each store of svc.state and log of svc.eventLog has a worst case in a test of memory, or is small enough to be bounded by its count [HARD-12]',
  async t => {
    /** Numbers, flags and short texts with short keys. */
    const counted = [
      'assertion-ids',
      'attempts',
      'authorities',
      'batch-runs',
      'buckets',
      'calls',
      'card-signatures',
      'contexts',
      'counters',
      'counts',
      'debug-keys',
      'device-attempts',
      'directives',
      'documents',
      'echo-basic-attempts',
      'epoch',
      'fault-uses',
      'introspection-flips',
      'issuer-faults',
      // 16 MiB in all.
      'kong-logs',
      'ledger',
      'positions',
      'prefix-blocks',
      'prompt-cache',
      'proof-ids',
      'quota',
      // At most 1000 of about 2 KiB.
      'queries',
      'random',
      // At most 100 texts of 64 KiB, and 16 MiB in all.
      'rate-limit-domains',
      'revoked',
      'revoked-serials',
      'runs',
      // At most 64 MiB for each of four probe sessions, which hold the same objects (unit/probe/bounds).
      'scripts',
      'swaps',
      // At most 100, and a mebibyte in all.
      'test-reports',
      // One number for each session.
      'turns',
      'used-steps',
      'uploads',
      'whoami-health',
      // At most 1000 numbers.
      'override-uses',
      // At most 1000 lists of names, and 4 MiB in all.
      'writing-tools',
    ]
    const integration = join(import.meta.dirname, '..')
    const sources = readdirSync(integration, { recursive: true, encoding: 'utf8' })
      .filter(file => /memory.*\.test\.ts$/.test(file))
      .map(file => readFileSync(join(integration, file), 'utf8'))
    const names: string[] = []
    const plugins = join(import.meta.dirname, '../../../plugins')
    for (const file of readdirSync(plugins, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.includes('node_modules')) continue
      for (const [, name] of readFileSync(join(plugins, file), 'utf8').matchAll(
        /svc\.(?:state|eventLog)(?:<[\w.<>, ]{1,100}>)?\('([\w-]{1,100})'/g,
      ))
        names.push(name!)
    }
    t.ok(names.length >= 9, names.join(', '))
    t.strictSame(
      names.filter(
        name =>
          !counted.includes(name) &&
          !sources.some(source => new RegExp(`"${name}"|\\b${name}\\b[a-z ]{0,40} stay within`).test(source)),
      ),
      [],
    )
  },
)

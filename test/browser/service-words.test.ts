/** What the console says of calls of services whose request has not arrived. */
import t from 'tap'
import { decisionTone, missingText } from '../../plugins/console/client/lib/traffic/services.ts'

t.test('a request that was refused does not arrive, one that was changed may come [CON-23]', t => {
  for (const decision of ['deny', 'over', 'block']) t.equal(missingText(decision), 'denied, nothing arrived', decision)
  for (const decision of ['allow', 'ok', 'pass', 'continue', 'mutate', 'redact'])
    t.equal(missingText(decision), 'nothing arrived so far', decision)
  for (const decision of ['immediate', 'error', 'unknown']) t.equal(missingText(decision), 'nothing arrived', decision)
  t.strictSame(['allow', 'mutate', 'deny'].map(decisionTone), ['good', 'warn', 'bad'])
  t.end()
})

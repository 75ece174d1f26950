/** Guardrail detectors for the code names and badge numbers of a company. */
import { definePlugin } from 'svc/plugin'
import type { Match } from 'svc/plugins/guardrails'

export default definePlugin({
  title: 'Guardrail: Code names',
  description: 'Finds code names and badge numbers of Acme.',
  paths: [],
  buildsOn: ['guardrails'],
  register(_app, svc) {
    const detectors = svc.use('guardrails.detectors')!
    detectors.register({
      id: 'acme-code-names',
      kind: 'blocklist',
      find: text => findAll(text, /\bproject (?:bluebird|quicksand)\b/gi, 'code-names'),
    })
    detectors.register({
      id: 'acme-badge',
      kind: 'pii',
      type: 'AcmeBadge',
      find: text => findAll(text, /\bACME-\d{6}\b/g),
    })
  },
})

/** Returns all matches. Positions are in code points, as in guardrail responses. The pattern must run in linear time. */
function findAll(text: string, pattern: RegExp, rule?: string): Match[] {
  let units = 0
  let points = 0
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => {
    points += Array.from(text.slice(units, index)).length
    units = index
    return { start: points, end: points + [...found].length, ...(rule === undefined ? {} : { rule }) }
  })
}

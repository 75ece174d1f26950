/** The field in which intermediaries say what they did with a response. */
import { defineCheck, note, pass, skip, warn, worst, type Verdict } from '../../catalog/check.ts'
import type { Call } from '../../client/evidence.ts'
import { type ItemKind, type ListMember, readItemList } from '../../client/structured-list.ts'
import { dateField, DEFAULT_FIELDS, each, END, probeBody, RECEIVE, rfc, script, shown } from '../builders.ts'

const INNER = 'inner.probe'
/** What RFC 9209, 2.1 says that parameters are. */
const KINDS: Readonly<Record<string, readonly ItemKind[]>> = {
  error: ['token'],
  'next-hop': ['string', 'token'],
  'next-protocol': ['token', 'bytes'],
  'received-status': ['integer'],
  details: ['string'],
}
const OWN_FAILURES = new Set<number | null>([502, 504])

/** The members of the field, or what is wrong with it; null without the field. */
function membersOf(call: Call): ListMember[] | Verdict | null {
  const text = call.values('proxy-status').join(', ')
  if (text === '') return null
  const members = readItemList(text)
  if (members === null) return warn(`Proxy-Status is not a list of strings and tokens: ${shown(text)}`)
  for (const { parameters } of members)
    for (const [name, { kind }] of parameters)
      if (KINDS[name]?.includes(kind) === false) return warn(`Proxy-Status has ${name} as a ${kind}: ${shown(text)}`)
  return members
}

export const PROXY_STATUS_CHECK = defineCheck({
  id: 'HDR-PROXYSTATUS',
  title: 'Proxy-Status',
  group: 'headers',
  since: '2026.2',
  level: 'should',
  sources: rfc(9209, '2'),
  when: { alone: true, breaks: true, judgesRefusal: true },
  page: {
    sent: 'A GET that is answered with Proxy-Status: inner.probe; received-status=200. Then a GET whose connection the upstream closes without an answer.',
    expected:
      'The member of the upstream comes back, and one of the gateway behind it. The field is a valid list, with parameters of the right type.',
    why: 'It tells operators which of several intermediaries sent an error.',
  },
  plan: () =>
    each([
      {
        label: 'answer',
        script: script(step => ({
          fields: [dateField(), ...DEFAULT_FIELDS, ['Proxy-Status', `${INNER}; received-status=200`]],
          body: probeBody(step),
        })),
      },
      { label: 'closed', isValid: false, script: () => [RECEIVE, END] },
    ]),
  judge(evidence) {
    const answer = evidence.call('answer')
    if (answer.count === 0) return skip(`refused: ${answer.status ?? 'closed'}`)
    const found: Verdict[] = []
    const members = membersOf(answer)
    if (members === null) found.push(warn(`the member ${INNER} is lost`))
    else if (!Array.isArray(members)) found.push(members)
    else {
      const at = members.findIndex(({ text }) => text === INNER)
      if (at === -1) found.push(warn(`the member ${INNER} is lost`))
      else if (at > 0) found.push(warn(`the member ${shown(members[0]!.text)} is in front of that of the upstream`))
    }
    const closed = evidence.call('closed')
    const own = membersOf(closed)
    if (own !== null && !Array.isArray(own)) found.push(own)
    else if (OWN_FAILURES.has(closed.status)) {
      const error = own?.findLast(({ parameters }) => parameters.has('error'))?.parameters.get('error')?.text
      if (error !== undefined) found.push(note(`${closed.status} has error=${error}`, { error }))
    }
    return found.length === 0 ? pass() : worst(found)
  },
})

/** The section `notify` of `svc.yaml`. */
import { asObject, asText, below, InputProblem, rejectUnknownKeys } from '../toolkit/input-problem.ts'
import type { Json } from '../contract/json.ts'

const MAX_HOSTS = 100
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/** Reads the section: the hosts to which rules may send requests. Throws an `InputProblem`. */
export function readNotifyHosts(section: unknown): string[] {
  if (section === undefined || section === null) return []
  const given = asObject(section, 'notify', 'expected an object such as {allow: [localhost:9000]}')
  rejectUnknownKeys(given, ['allow'], 'notify')
  const { allow = [] } = given
  if (!Array.isArray(allow) || allow.length > MAX_HOSTS)
    throw new InputProblem('notify.allow', `expected a list of at most ${MAX_HOSTS} hosts`)
  return allow.map((host: Json, index) => {
    const at = below('notify.allow', index)
    const text = asText(host, at, 260, 1)
    if (!HOST.test(text)) throw new InputProblem(at, 'expected a host or host:port, such as hooks.example.com:8443')
    return text.toLowerCase()
  })
}

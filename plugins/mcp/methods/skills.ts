/** Owns `skills/list`, `skills/get` and `resources/directory/read` (extension `io.modelcontextprotocol/skills`). */
import type { Call, MethodResult } from '../servers/call.ts'
import { pageText } from '../registry/lists.ts'
import type { JsonObject } from '../types.ts'
import { readUri, resourceNotFound } from './resources.ts'

const CACHE = { ttlMs: 300_000, cacheScope: 'public' } as const
const DIRECTORY_TYPE = 'inode/directory'

export function listSkills(call: Call): MethodResult {
  return { result: call.server.lists.page('skills', call.version, call.params.cursor, call.pageSize), cache: CACHE }
}

/** Also finds skills that are not listed. */
export function getSkill(call: Call): MethodResult {
  const uri = readUri(call)
  const skill = call.server.skills.find(candidate => candidate.uri === uri)
  if (!skill) throw resourceNotFound(call, uri)
  return { result: { skill: skill.entry }, cache: CACHE }
}

/** The direct children of a directory of a skill. */
export function readDirectory(call: Call): MethodResult {
  const uri = readUri(call)
  const directory = uri.endsWith('/') ? uri : `${uri}/`
  const children = new Map<string, JsonObject>()
  for (const { uri: file, mimeType } of call.server.skills.flatMap(skill => skill.files)) {
    if (!file.startsWith(directory)) continue
    const [name = '', ...below] = file.slice(directory.length).split('/')
    const child = directory + name
    const type = below.length > 0 ? DIRECTORY_TYPE : mimeType
    children.set(child, { uri: child, name: decodeURIComponent(name), mimeType: type })
  }
  // The scheme alone is a prefix of all skills, but names no directory.
  if (children.size === 0 || directory === 'skill://') throw resourceNotFound(call, uri)
  const items = [...children.values()].map(child => JSON.stringify(child))
  return { result: pageText('resources', 'directory', items, call.params.cursor, call.pageSize), cache: CACHE }
}

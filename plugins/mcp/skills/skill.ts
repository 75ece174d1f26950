/** A skill: a folder with a SKILL.md, whose files are resources. */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { isRecord } from 'svc/toolkit'
import { parse } from 'yaml'
import type { JsonObject, ResourceDefinition } from '../types.ts'

export interface Skill {
  readonly name: string
  /** URI of its SKILL.md. */
  readonly uri: string
  readonly isListed: boolean
  /** As `skills/list` shows it. */
  readonly entry: JsonObject
  readonly files: readonly ResourceDefinition[]
}

export interface SkillLimits {
  /** Skills of a server. */
  skills: number
  /** Bytes of one file. */
  fileBytes: number
}

export const MAX_SKILL_FILES = 512
export const MAX_SKILL_BYTES = 16 * 1024 * 1024
const MANIFEST = 'SKILL.md'
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const MAX_NAME = 64
const MAX_DESCRIPTION = 1024

const MEDIA_TYPES: Record<string, string> = {
  md: 'text/markdown',
  txt: 'text/plain',
  py: 'text/x-python',
  js: 'text/javascript',
  ts: 'text/typescript',
  sh: 'text/x-shellscript',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  html: 'text/html',
  css: 'text/css',
  csv: 'text/csv',
  png: 'image/png',
  jpg: 'image/jpeg',
  svg: 'image/svg+xml',
  pdf: 'application/pdf',
}

/** Makes a skill of its files, by path in the folder. Throws an error that names the problem. */
export function makeSkill(
  name: string,
  files: ReadonlyMap<string, Buffer>,
  { listed = true, dynamic = false }: { listed?: boolean; dynamic?: boolean },
  { fileBytes }: Pick<SkillLimits, 'fileBytes'>,
): Skill {
  checkSizes(files, fileBytes)
  const root = `skill://${name}/`
  const frontmatter = readFrontmatter(name, files.get(MANIFEST))
  const definitions = [...files].map(([path, bytes]) => fileResource(root, path, bytes))
  const resources = [...files].map(([path, bytes]) => ({
    uri: root + encodePath(path),
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    size: bytes.length,
  }))
  const uri = root + MANIFEST
  return {
    name,
    uri,
    isListed: listed,
    entry: { uri, frontmatter, resources: dynamic ? 'dynamic' : resources },
    files: definitions,
  }
}

function checkSizes(files: ReadonlyMap<string, Buffer>, fileBytes: number): void {
  if (files.size > MAX_SKILL_FILES) throw new Error(`it has ${files.size} files (at most ${MAX_SKILL_FILES})`)
  const bytes = [...files.values()].reduce((sum, file) => sum + file.length, 0)
  if (bytes > MAX_SKILL_BYTES) throw new Error(`it has ${bytes} bytes (at most ${MAX_SKILL_BYTES})`)
  for (const [path, file] of files) {
    if (file.length > fileBytes) throw new Error(`${path} has ${file.length} bytes (at most ${fileBytes})`)
    if (path.split('/').some(part => part === '' || part === '.' || part === '..'))
      throw new Error(`"${path}" is not a path in the folder of the skill`)
  }
}

/** The values of the YAML between the lines `---` at the beginning of SKILL.md. */
function readFrontmatter(name: string, manifest: Buffer | undefined): JsonObject {
  if (name.length > MAX_NAME || !NAME.test(name))
    throw new Error(`the name must have 1 to ${MAX_NAME} lowercase letters, digits and single hyphens`)
  if (manifest === undefined) throw new Error(`it has no ${MANIFEST}`)
  if (!isUtf8(manifest)) throw new Error(`${MANIFEST} is not UTF-8`)
  const lines = manifest
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
  const end = lines.indexOf('---', 1)
  if (lines[0] !== '---' || end < 0) throw new Error(`${MANIFEST} must begin with YAML between two lines "---"`)
  const frontmatter: unknown = parseYaml(lines.slice(1, end).join('\n'))
  if (!isRecord(frontmatter)) throw new Error(`the YAML of ${MANIFEST} must be a mapping`)
  if (frontmatter.name !== name)
    throw new Error(`"name" in ${MANIFEST} must be the name of the folder, ${JSON.stringify(name)}`)
  const { description } = frontmatter
  if (typeof description !== 'string' || description === '' || description.length > MAX_DESCRIPTION)
    throw new Error(`"description" in ${MANIFEST} must be a text of 1 to ${MAX_DESCRIPTION} characters`)
  return frontmatter
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 })
  } catch (error) {
    throw new Error(`the YAML of ${MANIFEST} is invalid: ${(error as Error).message.split('\n')[0]}`, { cause: error })
  }
}

function fileResource(root: string, path: string, bytes: Buffer): ResourceDefinition {
  const isText = isUtf8(bytes)
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return {
    uri: root + encodePath(path),
    name: path,
    mimeType: MEDIA_TYPES[extension] ?? (isText ? 'text/plain' : 'application/octet-stream'),
    size: bytes.length,
    ttlMs: 300_000,
    read: () => (isText ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') }),
  }
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** Skills: folders with a SKILL.md that a client reads. */
import t from 'tap'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call, items, type Json, openSession } from '../../support/mcp.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'

t.setTimeout(600_000)

const SKILLS = 'io.modelcontextprotocol/skills'
const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

t.test('skills are listed, found and read; digests are those of the bytes [MCPX-8]', async t => {
  const { url } = await serve(t)
  const server = `${url}/mcp/servers/skills`
  const discovered = (await call(server, 'server/discover')).answer.result
  t.match(discovered?.capabilities, { extensions: { [SKILLS]: { directoryRead: true } }, resources: {} })
  const listed = (await call(server, 'skills/list')).answer.result as Json
  t.match(listed, { resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' })
  const skills = items(listed.skills)
  t.strictSame(
    skills.map(({ uri }) => uri as unknown),
    ['skill://refunds/SKILL.md', 'skill://incident-notes/SKILL.md', 'skill://live-prices/SKILL.md'],
  )
  t.match(skills[0]?.frontmatter, { name: 'refunds', license: 'Apache-2.0', metadata: { owner: 'payments' } })
  t.equal(skills[2]?.resources as unknown, 'dynamic')
  for (const file of items(skills[0]?.resources)) {
    const read = items((await call(server, 'resources/read', { uri: file.uri })).answer.result?.contents)[0]
    const text = String(read?.text)
    t.match(file, { size: Buffer.byteLength(text), digest: digest(text) }, String(file.uri))
  }
  t.strictSame(items((await call(server, 'resources/list')).answer.result?.resources), [], 'files are not listed')
  const draft = await call(server, 'skills/get', { uri: 'skill://drafts/SKILL.md' })
  t.match(draft.answer.result, { skill: { frontmatter: { name: 'drafts' } }, ttlMs: 300_000 })
  const page = (await call(`${server}?page_size=2`, 'skills/list')).answer.result as Json
  t.equal(items(page.skills).length, 2)
  const rest = await call(`${server}?page_size=2`, 'skills/list', { cursor: page.nextCursor })
  t.equal(items(rest.answer.result?.skills).length, 1)
  t.match((await call(server, 'skills/list', { cursor: 'garbage' })).answer.error, { code: -32602 })
})

t.test('a directory lists its direct children [MCPX-8]', async t => {
  const { url } = await serve(t)
  const server = `${url}/mcp/servers/skills`
  const children = async (uri: string) =>
    items((await call(server, 'resources/directory/read', { uri })).answer.result?.resources).map(
      ({ uri: child, mimeType }) => [child, mimeType] as unknown,
    )
  const root = [
    ['skill://refunds/SKILL.md', 'text/markdown'],
    ['skill://refunds/references', 'inode/directory'],
    ['skill://refunds/scripts', 'inode/directory'],
  ]
  t.strictSame(await children('skill://refunds'), root)
  t.strictSame(await children('skill://refunds/'), root)
  t.strictSame(await children('skill://refunds/scripts'), [['skill://refunds/scripts/check.py', 'text/x-python']])
  const first = await call(`${server}?page_size=2`, 'resources/directory/read', { uri: 'skill://refunds' })
  t.type(first.answer.result?.nextCursor, 'string')
})

t.test('unknown skills, files and directories are not found [MCPX-8]', async t => {
  const { url } = await serve(t)
  const server = `${url}/mcp/servers/skills`
  const session = await openSession(server)
  const unknown = [
    'file:///etc/passwd',
    'skill://../x/SKILL.md',
    'skill://refunds',
    'skill://',
    'skill:///',
    '__proto__',
  ]
  for (const uri of unknown) {
    t.match((await call(server, 'skills/get', { uri })).answer.error, { code: -32602, data: { uri } }, uri)
    t.match((await session.request('skills/get', { uri })).answer.error, { code: -32002, data: { uri } }, uri)
  }
  for (const uri of ['skill://', 'skill:///', 'skill://ref', 'skill://refunds/SKILL.md'])
    t.match((await call(server, 'resources/directory/read', { uri })).answer.error, { code: -32602 }, uri)
  for (const method of ['skills/list', 'skills/get', 'resources/directory/read'])
    t.match((await call(`${url}/mcp`, method, { uri: 'skill://refunds' })).answer.error, { code: -32601 }, method)
})

t.test('sessions of 2025-11-25 have the same methods, older ones do not [MCPX-1, MCPX-8]', async t => {
  const { url } = await serve(t)
  const server = `${url}/mcp/servers/skills`
  const session = await openSession(server)
  t.match(session.opened.answer.result?.capabilities, { extensions: { [SKILLS]: { directoryRead: true } } })
  const listed = (await session.request('skills/list')).answer.result
  t.strictSame(Object.keys(listed ?? {}), ['skills'])
  const older = await openSession(server, { version: '2025-06-18' })
  t.notOk('extensions' in (older.opened.answer.result?.capabilities ?? {}))
  t.match((await older.request('skills/list')).answer.error, { code: -32601 })
})

/** A folder with skills; files by path. */
function skillFolder(t: Test, files: Record<string, string | Buffer>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-skills-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

interface Test {
  teardown(callback: () => unknown): unknown
}

const manifest = (name: string, more = '') => `---\nname: ${name}\ndescription: What ${name} does\n${more}---\n`

t.test('svc.yaml names a folder of skills; an invalid one is left out and reported [MCPX-9]', async t => {
  const folder = skillFolder(t, {
    'good/SKILL.md': manifest('good'),
    'good/data.bin': Buffer.from([0xff, 0xfe, 0]),
    'good/sub folder/ü.txt': 'text',
    'good/.hidden': 'not shown',
    'other-name/SKILL.md': manifest('different'),
    'no-description/SKILL.md': '---\nname: no-description\n---\n',
    'broken/SKILL.md': '---\nname: [\n---\n',
    'large/SKILL.md': manifest('large'),
    'large/file.txt': 'x'.repeat(1024 * 1024 + 1),
    'link/SKILL.md': manifest('link'),
    'not-a-skill/readme.md': 'no SKILL.md',
  })
  symlinkSync('/etc/hostname', join(folder, 'link', 'outside'))
  const yaml = `
mcp:
  servers:
    - { name: own, skills: ${folder} }
    - { name: missing, skills: ./does-not-exist }
`
  const server = await serve(t, { yaml })
  const own = `${server.url}/mcp/servers/own`
  const skills = items((await call(own, 'skills/list')).answer.result?.skills)
  t.strictSame(
    skills.map(({ uri }) => uri as unknown),
    ['skill://good/SKILL.md'],
  )
  t.strictSame(
    items(skills[0]?.resources).map(({ uri }) => uri as unknown),
    ['skill://good/SKILL.md', 'skill://good/data.bin', 'skill://good/sub%20folder/%C3%BC.txt'],
  )
  const binary = await call(own, 'resources/read', { uri: 'skill://good/data.bin' })
  t.match(binary.answer.result?.contents, [{ blob: '//4A', mimeType: 'application/octet-stream' }])
  const { load_errors: errors } = (await (await fetch(`${server.url}/_svc/plugins`)).json()) as {
    load_errors: { at: string; message: string }[]
  }
  const problems = {
    'other-name': /"name" in SKILL\.md must be the name of the folder/,
    'no-description': /"description" in SKILL\.md/,
    broken: /YAML of SKILL\.md is invalid/,
    large: /file\.txt has 1048577 bytes/,
    link: /outside is a symbolic link that leaves the folder/,
  }
  for (const [name, problem] of Object.entries(problems)) {
    const error = errors.find(({ message }) => message.includes(`"${name}"`))
    t.match(error, { at: 'mcp.servers[0].skills', message: problem }, name)
  }
  t.match(
    errors.find(({ at }) => at === 'mcp.servers[1].skills'),
    { message: /can't be read \(ENOENT\)/ },
  )
})

t.test('plugins add skills from files and folders [MCPX-9]', async t => {
  const folder = skillFolder(t, { 'from-folder/SKILL.md': manifest('from-folder') })
  const plugins = pluginFolder(t, {
    extra: `import { definePlugin } from 'svc/plugin'
export default definePlugin({
  title: 'Extra', paths: [], buildsOn: ['mcp'],
  register(app, svc) {
    const mcp = svc.use('mcp.servers')
    mcp.server({ name: 'extra', title: 'Extra' })
    mcp.skill({ server: 'extra', folder: ${JSON.stringify(join(folder, 'from-folder'))} })
    mcp.skill({ server: 'extra', name: 'in-code', files: { 'SKILL.md': ${JSON.stringify(manifest('in-code'))} } })
    mcp.skill({ server: 'extra', name: 'wrong', files: { 'SKILL.md': '# nothing', '../up': 'x' } })
  },
})`,
  })
  const { url } = await serve(t, { env: { SVC_PLUGINS_DIR: plugins.folder } })
  const listed = items((await call(`${url}/mcp/servers/extra`, 'skills/list')).answer.result?.skills)
  t.strictSame(
    listed.map(({ uri }) => uri as unknown),
    ['skill://from-folder/SKILL.md', 'skill://in-code/SKILL.md'],
  )
  const { load_errors: errors } = (await (await fetch(`${url}/_svc/plugins`)).json()) as {
    load_errors: { message: string }[]
  }
  t.match(
    errors.map(({ message }) => message).find(message => message.includes('"wrong"')),
    /the skill "wrong" of MCP server extra \(plugin extra\) is left out: "\.\.\/up" is not a path/,
  )
})

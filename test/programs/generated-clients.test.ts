/** Clients that generators write from `/openapi.json` compile, and their calls return what the document says. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { serve } from '../support/server.ts'
import { MODULES, findProgram, type Program } from './support/program.ts'

const ROOT = resolve(import.meta.dirname, '..', '..')

/** Declares a test of a generator, skipped without it; `write` gets the document in `openapi.json` of an empty folder. */
function testGenerator(
  generator: Program | string,
  run: (t: Test, generator: Program, folder: string, url: string) => Promise<unknown>,
  { query = '', others = [] }: { query?: string; others?: (Program | string)[] } = {},
): void {
  const missing = [generator, ...others].find(program => typeof program === 'string')
  const title = typeof generator === 'string' ? 'a generator' : generator.title
  t.test(`${title} writes a client that compiles and works [CAT-5]`, { skip: missing ?? false }, async t => {
    t.setTimeout(0)
    if (typeof generator === 'string') return
    const server = await serve(t)
    const folder = mkdtempSync(join(tmpdir(), 'svc-client-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${server.url}/openapi.json${query}`)).text())
    await run(t, generator, folder, server.url)
  })
}

/** Each value would not compile if its operation returned nothing or anything. */
const TYPESCRIPT = `import createClient from 'openapi-fetch'
import type { paths } from './api.js'

const client = createClient<paths, 'application/json'>({ baseUrl: process.argv[2]! })
const messages = [{ role: 'user', content: 'hello' }]
const uuid: string = (await client.GET('/uuid')).data!.uuid
const address: string | null = (await client.GET('/ip')).data!.ipv4
const today: string = (await client.GET('/date')).data!.date
const die: number = (await client.GET('/random/int/{lower}/{upper}', { params: { path: { lower: 1, upper: 6 } } })).data!.value
const key: string = (await client.GET('/oauth/jwks')).data!.keys[0]!.kty
const issuer: string = (await client.GET('/.well-known/openid-configuration')).data!.issuer
const version: string = (await client.GET('/_svc/version')).data!.version
const healthy: boolean = (await client.GET('/health')).data!.healthy
const chat = await client.POST('/ai/openai/v1/chat/completions', { body: { model: 'svc-gpt', messages } as never })
const content: string | null = chat.data!.choices[0]!.message.content
const models: string[] = (await client.GET('/ai/openai/v1/models')).data!.data.map(({ id }) => id)
console.log(JSON.stringify({ uuid, address, today, die, key, issuer, version, healthy, content, models }))
`

testGenerator(findProgram('openapi-typescript'), async (t, generator, folder, url) => {
  const generated = await generator.run(['openapi.json', '-o', 'api.d.ts'], { cwd: folder })
  t.equal(generated.code, 0, generated.output.slice(-2000))
  symlinkSync(MODULES, join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'client.ts'), TYPESCRIPT)
  const compiler = findProgram(join(ROOT, 'node_modules', '.bin', 'tsc'))
  if (typeof compiler === 'string') return t.fail(compiler)
  const compiled = await compiler.run(
    [
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--skipLibCheck',
      '--types',
      'node',
      '--typeRoots',
      join(ROOT, 'node_modules', '@types'),
      'client.ts',
    ],
    { cwd: folder },
  )
  t.equal(compiled.code, 0, compiled.output.slice(0, 2000))
  const node = findProgram(process.execPath)
  if (typeof node === 'string') return t.fail(node)
  const { code, output } = await node.run(['client.js', url], { cwd: folder })
  t.equal(code, 0, output.slice(-2000))
  const values = JSON.parse(output) as Record<string, unknown>
  t.equal(Object.values(values).filter(value => value !== undefined).length, 10)
  t.match(values, { uuid: /^[0-9a-f-]{36}$/, key: 'RSA', healthy: true, issuer: url, content: /\w/ })
})

const PYTHON = `import sys
from svc_client import Client
from svc_client.api.info_random import get_uuid, get_ip, get_date, get_time, get_random, get_random_int, get_random_uint
from svc_client.api.info_random import get_guuid, get_random_lorem_ipsum, get_ip_v4
client = Client(base_url=sys.argv[1])
print(get_uuid.sync(client=client).uuid)
for operation in (get_ip, get_date, get_time, get_random, get_random_int, get_random_uint, get_guuid, get_random_lorem_ipsum, get_ip_v4):
    assert operation.sync(client=client) is not None, operation
`

testGenerator(
  findProgram('openapi-python-client'),
  async (t, generator, folder, url) => {
    const generated = await generator.run(
      ['generate', '--path', 'openapi.json', '--meta', 'none', '--output-path', 'svc_client'],
      {
        cwd: folder,
        env: { PATH: `${folder}:${process.env.PATH}` },
      },
    )
    t.equal(generated.code, 0, generated.output.slice(-2000))
    writeFileSync(join(folder, 'client.py'), PYTHON)
    const python = findProgram(process.env.SVC_TEST_PYTHON ?? 'python3')
    if (typeof python === 'string') return t.fail(python)
    const { code, output } = await python.run(['client.py', url], { cwd: folder })
    t.equal(code, 0, output.slice(-2000))
    t.match(output, /^[0-9a-f-]{36}$/m)
  },
  { query: '?plugin=info' },
)

const GO = `package main

import (
	"context"
	"fmt"
	"os"
)

func check(operation string, err error, has bool) {
	if err != nil || !has {
		panic(fmt.Sprint(operation, " ", err))
	}
}

func main() {
	client, err := NewClientWithResponses(os.Args[1])
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	uuid, err := client.GetUuidWithResponse(ctx)
	check("uuid", err, uuid.JSON200 != nil)
	date, err := client.GetDateWithResponse(ctx)
	check("date", err, date.JSON200 != nil)
	guuid, err := client.GetGuuidWithResponse(ctx)
	check("guuid", err, guuid.JSON200 != nil)
	ip, err := client.GetIpWithResponse(ctx)
	check("ip", err, ip.JSON200 != nil)
	ipv4, err := client.GetIpV4WithResponse(ctx)
	check("ipv4", err, ipv4.JSON200 != nil)
	time, err := client.GetTimeWithResponse(ctx)
	check("time", err, time.JSON200 != nil)
	random, err := client.GetRandomWithResponse(ctx)
	check("random", err, random.JSON200 != nil)
	integer, err := client.GetRandomIntWithResponse(ctx)
	check("integer", err, integer.JSON200 != nil)
	unsigned, err := client.GetRandomUintWithResponse(ctx)
	check("unsigned", err, unsigned.JSON200 != nil)
	lorem, err := client.GetRandomLoremIpsumWithResponse(ctx)
	check("lorem", err, lorem.JSON200 != nil)
	fmt.Println(uuid.JSON200.Uuid, date.JSON200.Date)
}
`

testGenerator(
  findProgram('oapi-codegen'),
  async (t, generator, folder, url) => {
    const generated = await generator.run(
      ['-generate', 'types,client', '-package', 'main', '-o', 'api.go', 'openapi.json'],
      { cwd: folder },
    )
    t.equal(generated.code, 0, generated.output.slice(-2000))
    writeFileSync(join(folder, 'main.go'), GO)
    const go = findProgram('go', ['version'])
    if (typeof go === 'string') return t.fail(go)
    for (const args of [
      ['mod', 'init', 'svc-client'],
      ['mod', 'tidy'],
    ]) {
      const { code, output } = await go.run(args, { cwd: folder })
      t.equal(code, 0, output.slice(-2000))
    }
    const { code, output } = await go.run(['run', '.', url], { cwd: folder })
    t.equal(code, 0, output.slice(-2000))
    t.match(output, /[0-9a-f-]{36} \d{4}-/)
  },
  { query: '?plugin=info', others: [findProgram('go', ['version'])] },
)

/** Clients that generators write from `/openapi.json` and `/_svc/openapi.json` compile, and their calls return what the document says. */
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
  {
    document = '/openapi.json',
    others = [],
    does = 'a client that compiles and works [CAT-5]',
  }: { document?: string; others?: (Program | string)[]; does?: string } = {},
): void {
  const missing = [generator, ...others].find(program => typeof program === 'string')
  const title = typeof generator === 'string' ? 'a generator' : generator.title
  t.test(`${title} writes ${does}`, { skip: missing ?? false }, async t => {
    t.setTimeout(0)
    if (typeof generator === 'string') return
    const server = await serve(t)
    const folder = mkdtempSync(join(tmpdir(), 'svc-client-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${server.url}${document}`)).text())
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

/** Returns what the client prints. */
async function runTypeScript(
  t: Test,
  generator: Program,
  source: string,
  { folder, url }: { folder: string; url: string },
): Promise<string> {
  // Members with a default can be left out.
  const args = ['openapi.json', '-o', 'api.d.ts', '--default-non-nullable', 'false']
  const generated = await generator.run(args, { cwd: folder })
  t.equal(generated.code, 0, generated.output.slice(-2000))
  symlinkSync(MODULES, join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'client.ts'), source)
  const compiler = findProgram(join(ROOT, 'node_modules', '.bin', 'tsc'))
  if (typeof compiler === 'string') throw new Error(compiler)
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
  if (typeof node === 'string') throw new Error(node)
  const { code, output } = await node.run(['client.js', url], { cwd: folder })
  t.equal(code, 0, output.slice(-2000))
  return output
}

testGenerator(findProgram('openapi-typescript'), async (t, generator, folder, url) => {
  const output = await runTypeScript(t, generator, TYPESCRIPT, { folder, url })
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

async function runPython(
  t: Test,
  generator: Program,
  source: string,
  { folder, url }: { folder: string; url: string },
): Promise<string> {
  const generated = await generator.run(
    ['generate', '--path', 'openapi.json', '--meta', 'none', '--output-path', 'svc_client'],
    {
      cwd: folder,
      env: { PATH: `${folder}:${process.env.PATH}` },
    },
  )
  t.equal(generated.code, 0, generated.output.slice(-2000))
  writeFileSync(join(folder, 'client.py'), source)
  const python = findProgram(process.env.SVC_TEST_PYTHON ?? 'python3')
  if (typeof python === 'string') throw new Error(python)
  const { code, output } = await python.run(['client.py', url], { cwd: folder })
  t.equal(code, 0, output.slice(-2000))
  return output
}

testGenerator(
  findProgram('openapi-python-client'),
  async (t, generator, folder, url) => {
    t.match(await runPython(t, generator, PYTHON, { folder, url }), /^[0-9a-f-]{36}$/m)
  },
  { document: '/openapi.json?plugin=info' },
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

const GO_TOOL = findProgram('go', ['version'])

async function runGo(
  t: Test,
  generator: Program,
  source: string,
  { folder, url }: { folder: string; url: string },
): Promise<string> {
  const generated = await generator.run(
    ['-generate', 'types,client', '-package', 'main', '-o', 'api.go', 'openapi.json'],
    { cwd: folder },
  )
  t.equal(generated.code, 0, generated.output.slice(-2000))
  writeFileSync(join(folder, 'main.go'), source)
  if (typeof GO_TOOL === 'string') throw new Error(GO_TOOL)
  for (const args of [
    ['mod', 'init', 'svc-client'],
    ['mod', 'tidy'],
  ]) {
    const { code, output } = await GO_TOOL.run(args, { cwd: folder })
    t.equal(code, 0, output.slice(-2000))
  }
  const { code, output } = await GO_TOOL.run(['run', '.', url], { cwd: folder })
  t.equal(code, 0, output.slice(-2000))
  return output
}

testGenerator(
  findProgram('oapi-codegen'),
  async (t, generator, folder, url) => {
    t.match(await runGo(t, generator, GO, { folder, url }), /[0-9a-f-]{36} \d{4}-/)
  },
  { document: '/openapi.json?plugin=info', others: [GO_TOOL] },
)

const CONTROL = { document: '/_svc/openapi.json', does: 'a client of the control plane that stores a rule [CAT-7]' }

const CONTROL_TYPESCRIPT = `import createClient from 'openapi-fetch'
import type { components, paths } from './api.js'

const client = createClient<paths, 'application/json'>({ baseUrl: process.argv[2]! + '/s/generated' })
const rule: components['schemas']['Rule'] = { match: { path: '/echo' }, then: { fail: 503 } }
const stored = await client.PUT('/_svc/rules/{name}', { params: { path: { name: 'one' } }, body: rule })
const scope: string = stored.data!.scope
const status = (await fetch(process.argv[2]! + '/s/generated/echo')).status
const failed = await client.POST('/_svc/verify', { body: { match: { path: '/never' } } })
const message: string = failed.response.status === 409 ? (failed.error as components['schemas']['VerificationFailure']).message : ''
console.log(JSON.stringify({ scope, status, message }))
`

testGenerator(
  findProgram('openapi-typescript'),
  async (t, generator, folder, url) => {
    const output = await runTypeScript(t, generator, CONTROL_TYPESCRIPT, { folder, url })
    t.match(JSON.parse(output), { scope: 'session', status: 503, message: /\w/ })
  },
  CONTROL,
)

const CONTROL_PYTHON = `import sys
import urllib.error
import urllib.request
from svc_client import Client
from svc_client.api.testing import put_svc_rules_by_name
from svc_client.models import Match, Rule, Step
base = sys.argv[1] + '/s/generated'
rule = Rule.from_dict({'match': {'path': '/echo'}, 'then': {'fail': 503}})
stored = put_svc_rules_by_name.sync(name='one', client=Client(base_url=base), body=rule)
print(stored.scope)
try:
    urllib.request.urlopen(base + '/echo')
except urllib.error.HTTPError as error:
    print(error.code)
`

testGenerator(
  findProgram('openapi-python-client'),
  async (t, generator, folder, url) => {
    t.equal(await runPython(t, generator, CONTROL_PYTHON, { folder, url }), 'session\n503\n')
  },
  CONTROL,
)

const CONTROL_GO = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	base := os.Args[1] + "/s/generated"
	client, err := NewClientWithResponses(base)
	if err != nil {
		panic(err)
	}
	var rule Rule
	if err := json.Unmarshal([]byte(\`{"match":{"path":"/echo"},"then":{"fail":503}}\`), &rule); err != nil {
		panic(err)
	}
	stored, err := client.PutSvcRulesByNameWithResponse(context.Background(), "one", nil, rule)
	if err != nil {
		panic(err)
	}
	created := stored.JSON201
	if created == nil {
		panic(string(stored.Body))
	}
	response, err := http.Get(base + "/echo")
	if err != nil {
		panic(err)
	}
	fmt.Println(created.Scope, response.StatusCode)
}
`

testGenerator(
  findProgram('oapi-codegen'),
  async (t, generator, folder, url) => {
    t.match(await runGo(t, generator, CONTROL_GO, { folder, url }), /^session 503$/m)
  },
  { ...CONTROL, others: [GO_TOOL] },
)

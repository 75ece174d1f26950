/**
 * Follows a page for plugin authors: uses every block in order, in one folder with svc installed.
 *
 * - A block that begins with a file name (`// quotes/index.ts`, `# svc.yaml`) is written to that file.
 * - `sh` blocks run in the folder where the previous one ended. Installing works as with npm, but without a registry.
 * - A block that ends with `node_modules/.bin/svc` starts the server for the following blocks.
 * - `SVC_WRITE_DOCS=1 npm test -- kit/` updates the project's files that a page shows (`<!-- file ... -->`).
 */
import type t from 'tap'
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CURL, blocksOf, findMismatch, type Block } from './examples.ts'
import { ROOT, install, type Installation } from './installed.ts'
import { until } from './until.ts'

type Tap = Pick<typeof t, 'equal' | 'fail' | 'match' | 'pass' | 'teardown'>

/** Runs the page `docs/<name>.md`. */
export async function followPage(t: Tap, name: string): Promise<void> {
  const path = join(ROOT, 'docs', `${name}.md`)
  const text = readFileSync(path, 'utf8')
  const filled = fillFiles(text)
  if (process.env.SVC_WRITE_DOCS === '1') writeFileSync(path, filled)
  else t.equal(text, filled, 'the files of the project that it shows')
  const author = new Author(t, await install(t, { packages: ['openai'] }))
  const blocks = blocksOf(filled)
  for (const [index, block] of blocks.entries()) {
    const next = blocks[index + 1]
    const shown = next !== undefined && next.line <= block.end + 2 && next.language === 'text' ? next : null
    await author.follow(block, shown, `${name}.md:${block.line}`)
  }
}

function fillFiles(markdown: string): string {
  return markdown.replace(
    /<!-- file (\S+) -->\n[^]*?<!-- \/file -->/g,
    (_, path: string) =>
      `<!-- file ${path} -->\n\`\`\`ts\n// ${path}\n${readFileSync(join(ROOT, path), 'utf8')}\`\`\`\n<!-- /file -->`,
  )
}

class Author {
  readonly #t: Tap
  readonly #installation: Installation
  /** The folder where the last block ended. */
  #folder: string
  #port = '8080'

  constructor(test: Tap, installation: Installation) {
    this.#t = test
    this.#installation = installation
    this.#folder = installation.folder
  }

  async follow(block: Block, shown: Block | null, where: string): Promise<void> {
    const [first = ''] = block.text.split('\n', 1)
    const file = /^(?:\/\/|#) ([\w./-]+\.\w+)$/.exec(first)?.[1]
    if (file !== undefined) this.#write(file.replace(/^examples\/plugins\//, ''), block.text)
    else if (block.language === 'yaml') await this.#isRight(block, where)
    else if (block.language === 'sh' && block.text.endsWith('node_modules/.bin/svc\n')) await this.#serve()
    else if (block.language === 'sh') await this.#run(block.text, shown, where)
    else if (block.language !== 'text') this.#t.fail(`${where}: a block of ${block.language} is not run`)
  }

  #write(file: string, text: string): void {
    mkdirSync(dirname(join(this.#folder, file)), { recursive: true })
    writeFileSync(join(this.#folder, file), text)
  }

  async #isRight({ text }: Block, where: string): Promise<void> {
    this.#write('svc.yaml', text)
    this.#t.match(await this.#installation.run('svc', ['check'], { cwd: this.#folder }), { code: 0 }, where)
  }

  async #run(text: string, shown: Block | null, where: string): Promise<void> {
    const script = withoutRegistry(text).replaceAll('localhost:8080', `localhost:${this.#port}`)
    const { code, output, errors } = await this.#installation.run(
      'bash',
      ['-eo', 'pipefail', '-c', `trap 'pwd > "$HOME/.where"' EXIT\n${CURL}${script}`],
      { cwd: this.#folder },
    )
    const wanted = Number(/# exits with (\d+)/.exec(text)?.[1] ?? 0)
    if (code === wanted) this.#t.pass(`${where} exits with ${code}`)
    else this.#t.fail(`${where} exits with ${code}`, { output, errors })
    this.#folder = readFileSync(join(this.#installation.folder, '.where'), 'utf8').trim()
    if (shown !== null) this.#t.equal(findMismatch(output, shown), null, `${where}: what is shown`, { output })
  }

  async #serve(): Promise<void> {
    const { folder } = this.#installation
    const server = spawn(join(folder, 'node_modules', '.bin', 'svc'), [], {
      cwd: this.#folder,
      env: {
        PATH: process.env.PATH,
        SVC_HOST: '127.0.0.1',
        SVC_HTTP_PORT: '0',
        SVC_HTTPS_PORT: '0',
        SVC_GRPC_PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = new Promise(resolve => server.on('exit', resolve))
    this.#t.teardown(async () => {
      server.kill('SIGKILL')
      await exited
    })
    let output = ''
    server.stdout.on('data', chunk => {
      output += chunk
    })
    this.#port = await until(() => /HTTP listening on \S+:(\d+)/.exec(output)?.[1], 'the server')
  }
}

/** Replaces `npm install`: packages exist already, in the folder where the page begins, and a tarball is unpacked. */
function withoutRegistry(text: string): string {
  return text
    .replace(
      /^npm install \S*\/((?:@[\w-]+\/)?[\w-]+)-\d\S*\.tgz$/gm,
      (line, name: string) =>
        `mkdir -p node_modules/${name} && tar xzf ${line.split(' ').at(-1)} -C node_modules/${name} --strip-components 1`,
    )
    .replace(/^npm install .*$/gm, '[ -e node_modules ] || ln -s "$HOME/node_modules" node_modules')
}

/** The examples of `docs/frameworks.md` in JavaScript and for Spring, each skipped where its package is missing. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { serve } from '../support/server.ts'
import { statusesOf } from './support/model-replies.ts'
import { MODULES, findProgram, type Program } from './support/program.ts'

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'frameworks.md'), 'utf8')
/** Where Maven keeps what it has downloaded; without the starter there the test is skipped. */
const STARTERS = join(homedir(), '.m2', 'repository', 'org', 'springframework', 'ai', 'spring-ai-starter-model-openai')
const BOOT = join(homedir(), '.m2', 'repository', 'org', 'springframework', 'boot', 'spring-boot-starter-parent')

/** The example in this language, for a server at this URL. */
function exampleIn(language: string, url: string): string {
  const [, code] = new RegExp(`\\n\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE) ?? []
  if (code === undefined) throw new Error(`docs/frameworks.md has no example in ${language}`)
  return code.replaceAll('http://localhost:8080', url)
}

/** The newest version that Maven has in a folder; null without one. */
function newestIn(folder: string): string | null {
  if (!existsSync(folder)) return null
  const versions = readdirSync(folder).filter(name => /^\d+\.\d+\.\d+$/.test(name))
  return versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? null
}

async function runExample(t: Test, program: Program, fill: (folder: string, url: string) => string[]): Promise<void> {
  t.setTimeout(0)
  const server = await serve(t, { oneProcess: 'the framework is one client' })
  const folder = mkdtempSync(join(tmpdir(), 'svc-framework-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const { code, output } = await program.run(fill(folder, server.url), { cwd: folder })
  t.equal(code, 0, output.slice(-3000))
  t.match(output, /mock model server/, 'the text of the reply is printed')
  t.strictSame(await statusesOf(server.url), [200], 'svc replied')
}

const node = findProgram(process.execPath)
const hasAi = existsSync(join(MODULES, 'ai'))
t.test(
  'AI SDK gets a reply',
  { skip: !hasAi && 'no npm package ai here (npm run test:programs installs it)' },
  async t => {
    if (typeof node === 'string') return t.fail(node)
    return runExample(t, node, (folder, url) => {
      symlinkSync(MODULES, join(folder, 'node_modules'))
      writeFileSync(join(folder, 'example.mjs'), exampleIn('js', url))
      return ['example.mjs']
    })
  },
)

const maven = findProgram('mvn')
const starter = newestIn(STARTERS)
const boot = newestIn(BOOT)
const missing = typeof maven === 'string' ? maven : (starter === null || boot === null) && 'Maven has no Spring AI here'
t.test(`Spring AI ${starter ?? ''} gets a reply`, { skip: missing }, async t => {
  if (typeof maven === 'string') return
  return runExample(t, maven, (folder, url) => {
    const source = join(folder, 'src', 'main', 'java', 'demo')
    const resources = join(folder, 'src', 'main', 'resources')
    for (const path of [source, resources]) mkdirSync(path, { recursive: true })
    writeFileSync(join(folder, 'pom.xml'), POM)
    writeFileSync(join(source, 'Demo.java'), JAVA)
    const properties = `${exampleIn('properties', url)}spring.main.web-application-type=none\n`
    writeFileSync(join(resources, 'application.properties'), properties)
    return ['-q', '-B', 'spring-boot:run']
  })
})

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>${boot}</version>
  </parent>
  <groupId>demo</groupId><artifactId>demo</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.springframework.ai</groupId><artifactId>spring-ai-starter-model-openai</artifactId>
      <version>${starter}</version>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><groupId>org.springframework.boot</groupId><artifactId>spring-boot-maven-plugin</artifactId></plugin>
    </plugins>
  </build>
</project>
`

const JAVA = `package demo;

import org.springframework.ai.chat.client.ChatClient;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
public class Demo {
  public static void main(String[] args) { SpringApplication.run(Demo.class, args).close(); }

  @Bean
  CommandLineRunner ask(ChatClient.Builder builder) {
    return args -> System.out.println("reply: " + builder.build().prompt("hello").call().content());
  }
}
`

/** The Java client: its own tests, the contract of all clients, and the example of `docs/clients.md` in a project of its own. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { copyOfClient, emptyFolder, examplesIn, matchContract, packedSvc, succeeds } from './support/clients.ts'
import { findProgram } from './support/program.ts'
import { VERSION } from '../../core/product.ts'

t.setTimeout(0)
const found = findProgram('mvn')
const mvn = typeof found === 'string' ? undefined : found
const skip = typeof found === 'string' && found
const svc = mvn === undefined ? undefined : await packedSvc(t)
const QUIET = ['-q', '-B']

t.test(
  'the Java client passes its tests, follows the contract, and runs the example of the page [CLIENTS-1, CLIENTS-3, CLIENTS-4]',
  { skip },
  async t => {
    const cwd = copyOfClient(t, 'java')
    const project = emptyFolder(t)
    await succeeds(t, mvn!, [...QUIET, 'verify'], { cwd, env: { SVC_COMMAND: svc!.command } })

    const { url, operations } = await svc!.recorded(t)
    await succeeds(t, mvn!, [...QUIET, 'surefire:test', '-Dtest=ClientTest'], { cwd, env: { SVC_URL: url } })
    matchContract(t, operations())

    const [test, ...others] = examplesIn('java')
    t.strictSame(others, [])
    const sources = join(project, 'src', 'test', 'java')
    mkdirSync(sources, { recursive: true })
    writeFileSync(join(sources, 'OrdersTest.java'), test!)
    writeFileSync(join(project, 'pom.xml'), pomWith(join(cwd, 'target', `svc-testing-${VERSION}.jar`)))
    const env = { SVC_COMMAND: svc!.command }
    const { output } = await succeeds(t, mvn!, ['-B', 'test'], { cwd: project, env })
    t.match(output, /Tests run: 1, Failures: 0, Errors: 0, Skipped: 0/)
  },
)

/** The project of a user, with the client from its jar, so that nothing is written to the repository of Maven. */
const pomWith = (jar: string): string => `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId><artifactId>orders</artifactId><version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>io.svc</groupId><artifactId>svc-testing</artifactId><version>${VERSION}</version>
      <scope>system</scope><systemPath>${jar}</systemPath>
    </dependency>
    <dependency>
      <groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.13.4</version><scope>test</scope>
    </dependency>
  </dependencies>
  <build><plugins>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.14.1</version></plugin>
    <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
    <plugin><artifactId>maven-surefire-plugin</artifactId><version>3.5.3</version></plugin>
  </plugins></build>
</project>
`

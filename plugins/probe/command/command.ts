/** The command `svc probe`. */
import type { Command } from 'svc/plugin'
import { completeWords, listChecks, showCheck } from './catalog-commands.ts'
import { explainFinding } from './explain-command.ts'
import { ArgumentError } from './options.ts'
import { diffReports, matrixOfReports, replayCheck } from './report-commands.ts'
import { runProbe } from './run.ts'

const USAGE = `usage: svc probe <gateway URL> [options]
       svc probe list [--groups g,..] [--json] [--schema]
       svc probe show <ID>
       svc probe diff <old.json> <new.json> [--format terminal|json|markdown]
       svc probe matrix <a.json> <b.json> .. [--only differing] [--pairs]
       svc probe explain <report.json> <ID> [--pair client:upstream] [--issue]
       svc probe replay <report.json> <ID> [gateway URL] [options]
       svc probe replay <report.json> <ID> --offline [--fail-on fail]

Sends requests through a gateway to svc, and compares what was sent, what arrived at the upstream, what the upstream
answered, and what came back.

  --upstream URL          URL of a running svc behind the gateway (default: http://localhost:8080); repeat it for replicas
  --listen [host:]port    start an svc in this process instead; also --listen-https, --listen-grpc
  --upstream-token T      admin token of the upstream (default: SVC_ADMIN_TOKEN)
  --prefix /path          path in front of /probe
  --routes file           paths and URLs of groups, as YAML: llm: {openai: /v1}, mcp: /tools, grpc: http://…
  --groups a,b            only these groups
  --checks ID,..          only these checks; HDR-* selects by prefix
  --pairs a:b,..          only these pairs of wires, such as messages:converse; * stands for all of one side
  --hostile               also send malformed requests
  --slow                  also wait for more than 15 s
  --h2                    HTTP/2 with prior knowledge too; for https gateways ALPN is tried in any case
  --header 'Name: value'  field of every request to the gateway; repeat it for several
  --bearer T, --host name credentials and Host of every request to the gateway
  --ca file, --insecure   trust for https gateways
  --repeat 3              runs of a check that found something, 1 to 10
  --timeout 10            seconds a step may take, 1 to 120
  --concurrency 6         checks at a time, 1 to 32
  --format f,..           terminal, json, junit, markdown, html
  --out folder            writes the reports there
  --name, --config-file   name and configuration of the gateway, for the report
  --note ID=text          your own words about a check
  --baseline file         known findings, which do not count; --write-baseline file writes them
  --fail-on fail          fail, fail:medium, fail:high, warn, flaky, error, or none
  --quiet, --verbose      only the last line; every check as it ends

Exit codes: 0 nothing that counts, 1 findings, 2 invalid command line, 3 the gateway or upstream can't be reached,
130 interrupted.
`

export const probeCommand: Command = {
  name: 'probe',
  summary: 'check what a gateway changes',
  usage: USAGE,
  group: 'test',
  complete: completeWords,
  async run(args, context) {
    if (context === undefined) throw new Error('svc probe needs the context of the command line')
    const [first, ...rest] = args
    try {
      if (first === 'list') return await listChecks(rest, context)
      if (first === 'show') return await showCheck(rest, context)
      if (first === 'diff') return await diffReports(rest, context)
      if (first === 'matrix') return await matrixOfReports(rest, context)
      if (first === 'explain') return await explainFinding(rest, context)
      if (first === 'replay') return await replayCheck(rest, context)
      return await runProbe(args, context)
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error
      context.err.write(`${error.message}\nSee svc probe --help.\n`)
      return { exitCode: 2 }
    }
  },
}

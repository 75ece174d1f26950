/** The plugin `probe`: the command `svc probe`, and the upstream half of a probe. */
import { definePlugin } from 'svc/plugin'
import { createCheckRegistry } from './checks/custom/registry.ts'
import { createClient } from './client/offered-client.ts'
import { probeCommand } from './command/command.ts'
import { PROBE_OPTIONS, type ProbeSection } from './options.ts'
import { registerChecks } from './runs/check-routes.ts'
import { registerRuns } from './runs/routes.ts'
import { createTargets } from './runs/targets.ts'
import type {} from './types.ts'
import { IgnoredPaths } from './upstream/ignored-paths.ts'
import { registerUpstream } from './upstream/routes.ts'
import { compareSeen } from './wires/compare-seen.ts'
import { continuedItems, readSeenReply } from './wires/continued-conversation.ts'
import { createWireRegistry, wiresWith } from './wires/registry.ts'

export default definePlugin<ProbeSection>({
  title: 'Gateway probe',
  description: 'Sends requests through a gateway, compares what was sent with what arrived, and reports what changed.',
  paths: ['/probe', '/_svc/probe'],
  command: probeCommand,
  options: PROBE_OPTIONS,
  uses: ['graphql', 'llm'],
  register(app, svc) {
    const checks = createCheckRegistry(svc.name)
    svc.offer('probe.checks', checks)
    const wires = createWireRegistry(svc.name)
    svc.offer('probe.wires', wires)
    svc.offer('probe.client', createClient())
    svc.offer('probe.conversations', {
      compare: (sent, arrived) => compareSeen(sent, arrived, wiresWith(wires)),
      read: (request, answer) => readSeenReply(request, answer, wiresWith(wires)),
      continued: (request, turn) => continuedItems(request, turn, wiresWith(wires)),
    })
    const ignored = new IgnoredPaths()
    svc.offer('probe.upstream', { ignore: (...paths) => ignored.add(paths) })
    const targets = createTargets(svc)
    svc.offer('probe.targets', targets)
    if (svc.config.publicMode) return
    registerUpstream(app, svc, { ignored, wires: () => wiresWith(wires) })
    registerRuns(app, svc, { checks, wires, targets })
    registerChecks(app, checks)
  },
})

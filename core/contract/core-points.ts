/** The core's own extension points. */
import type { RequestAliases } from './aliases.ts'
import type { SvcMediaTypes } from './calls.ts'
import type { ControlTools } from './control-tools.ts'
import type { DocumentFiles } from './documents.ts'
import type { SvcResponses } from './responses.ts'
import type { SvcTap } from './tap.ts'
import type { MatchProtocols, Resets, RuleFiles, RuleSteps, Verifications } from './testing.ts'
import type { SvcTls } from './tls.ts'

/** By name. They are always there. */
export interface CorePoints {
  'control.tools': ControlTools
  'core.documents': DocumentFiles
  'core.media-types': SvcMediaTypes
  'core.notify-hosts': NotifyHosts
  'core.responses': SvcResponses
  'core.tap': SvcTap
  'core.tls': SvcTls
  'testing.aliases': RequestAliases
  'testing.protocols': MatchProtocols
  'testing.resets': Resets
  'testing.rules': RuleFiles
  'testing.steps': RuleSteps
  'testing.verifications': Verifications
}

/** The hosts to which requests may be sent that are not responses: `notify.allow` in `svc.yaml`. */
export interface NotifyHosts {
  allows(url: URL): boolean
}

/** Implements `svc.inspector` with the context of the request. */
import type { SvcInspector } from '../../contract/plugin.ts'
import { contextOf } from '../../http/request/context.ts'
import { joinTags } from '../../inspector/tags.ts'
import type { Inspector } from '../../inspector/inspector.ts'

export function createSvcInspector(inspector: Inspector): SvcInspector {
  return {
    entry: (requestId, session) => inspector.entry(requestId, session),
    arrivals: query => inspector.arrivals(query),
    redactHeaders: headers => inspector.redactHeaders(headers),
    redactHeader: (name, value) => inspector.redactHeader(name, value),
    redactUrl: url => inspector.redactUrl(url),
    redactText: text => inspector.redactText(text),
    annotate(request, { service, tags }) {
      const context = contextOf(request)
      if (tags !== undefined) context.tags = joinTags(context.tags, tags)
      if (service === undefined) return context.showNotes?.()
      context.service = service
      const { session } = service.checked
      // In public mode the call of a gateway has no session, and is captured for that of its client.
      if (!context.isCaptured && !context.isHidden && session !== null)
        context.isCaptured =
          inspector.captures(context.path, session) &&
          !context.generation.exemptions.has('inspector', context.routedPath)
      context.showNotes?.()
    },
  }
}

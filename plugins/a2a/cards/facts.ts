/** Owns what the cards of both generations say alike. */
import type { AgentDefinition, Skill } from '../types.ts'

/** An agent as one request sees it. */
export interface CardSubject {
  agent: AgentDefinition
  /** `scheme://host[:port]` */
  base: string
  /** Version of the product. */
  version: string
  isExtended?: boolean
  /** Set for the agent whose card lists all. */
  directory?: readonly AgentDefinition[]
}

const DIRECTORY_URI = 'urn:svc:a2a:agent-directory:v1'

export const BEARER_TEXT = 'Access token of the built-in identity provider'
export const OAUTH_TEXT = 'Client credentials at the built-in identity provider'
export const OIDC_TEXT = 'Discovery of the built-in identity provider'
export const SCOPES = {
  openid: 'Identifies the user',
  profile: 'Name and picture of the user',
  email: 'E-mail address of the user',
}

export function factsOf({ agent, base, version }: CardSubject) {
  return {
    name: agent.name,
    description: agent.description,
    provider: { organization: 'svc', url: `${base}/` },
    version,
    documentationUrl: `${base}/docs`,
    iconUrl: `${base}/image/svg`,
    defaultInputModes: agent.inputModes,
    defaultOutputModes: agent.outputModes,
  }
}

/** With the modes of the agent where a skill has none of its own. */
export function skillsOf({ agent, isExtended }: CardSubject): Required<Skill>[] {
  const skills = isExtended ? [...agent.skills, ...(agent.extendedSkills ?? [])] : agent.skills
  return skills.map(
    ({ id, name, description, tags, examples, inputModes = agent.inputModes, outputModes = agent.outputModes }) => ({
      id,
      name,
      description,
      tags,
      examples,
      inputModes,
      outputModes,
    }),
  )
}

/** The extension that lists all agents; nothing on other cards. */
export function extensionsOf({ directory, base }: CardSubject): { extensions?: object[] } {
  if (!directory) return {}
  const agents = directory.map(({ id, name }) => ({
    id,
    name,
    url: `${base}/a2a/${id}`,
    cardUrl: `${base}/a2a/${id}/.well-known/agent-card.json`,
  }))
  return {
    extensions: [{ uri: DIRECTORY_URI, description: 'All agents of this server', required: false, params: { agents } }],
  }
}

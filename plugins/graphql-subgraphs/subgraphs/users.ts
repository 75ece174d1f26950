/** The subgraph `users`: users, found by id and by email. */
import { findEntity } from '../entity-keys.ts'
import { take, type Rows } from '../rows.ts'
import { USERS } from '../schemas/users.ts'
import { seenBy, type SubgraphContext } from '../seen.ts'
import { CORE_SETS, RELEASE, type Subgraph } from '../subgraph.ts'

export function usersSubgraph({ users }: Rows): Subgraph {
  const find = (id: string) => users.find(user => user.id === id) ?? null
  return {
    name: 'users',
    sets: CORE_SETS,
    federation: '2.3',
    sdl: USERS,
    example: '{ users(limit: 2) { id name tier } }',
    root: {
      me: (_args: object, { headers }: SubgraphContext) => find(headers['x-user-id'] ?? ''),
      user: ({ id }: { id: string }) => find(id),
      users: ({ limit, offset }: { limit: number; offset: number }) => take(users, limit, offset),
      usersSeen: seenBy('users'),
      release: RELEASE,
      renameUser({ id, name }: { id: string; name: string }) {
        const user = find(id)
        return user && { ...user, name }
      },
    },
    resolve: (_typename, representation) =>
      findEntity(users, [['id'], ['email']], user => ({ ...user }), representation),
  }
}

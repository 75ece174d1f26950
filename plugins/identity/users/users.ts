/** The demo users. */
import { isSameSecret } from 'svc/plugin'

/** Somebody who can log in, as the standard claims name it (OpenID Connect Core, 5.1). */
export interface User {
  username: string
  name: string
  email: string
  groups: readonly string[]
}

/** The password of each demo user is the user name. */
export const DEMO_USERS: readonly User[] = [
  { username: 'demo', name: 'Demo User', email: 'demo@svc.local', groups: ['users'] },
  { username: 'alice', name: 'Alice Admin', email: 'alice@svc.local', groups: ['users', 'admins'] },
  { username: 'bob', name: 'Bob Member', email: 'bob@svc.local', groups: ['users'] },
]

const byName = new Map(DEMO_USERS.map(user => [user.username, user]))

/** The user of that name, compared exactly. */
export function findUser(username: string): User | undefined {
  return byName.get(username)
}

/** The user whose name and password these are; null otherwise. */
export function logIn(username: string, password: string): User | null {
  const user = findUser(username)
  const isRight = isSameSecret(password, user?.username ?? '')
  return user !== undefined && isRight ? user : null
}

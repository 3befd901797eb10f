import { databaseReplica, grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';

export const environment = { ...serviceEnvironment, ...databaseReplica, ...grpcListen };

export type Settings = SettingsOf<typeof environment>;

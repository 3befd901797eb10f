import { grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';

export const environment = { ...serviceEnvironment, ...grpcListen };

export type Settings = SettingsOf<typeof environment>;

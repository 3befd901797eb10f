{{- $values := .Values.redis }}
{{- $clients := (include "survey-deps.clients" (dict "root" . "store" "redis") | fromJson).names }}
{{ include "survey-deps.surroundings" (dict "root" . "store" "redis" "ports" (dict "redis" 6379) "clients" $clients) }}
---
{{ include "survey-deps.statefulSet" (dict "root" . "store" "redis") }}
      containers:
        - name: redis
          image: {{ include "survey-lib.image" (dict "root" . "image" $values.image) }}
          # Nothing is kept: what it holds is made again. The password is read by the shell, so that it stands in no argument of the pod.
          command: [sh, -euc]
          args:
            - |
              umask 077
              { {{- if $values.auth.enabled }} echo "requirepass $REDIS_PASSWORD";{{ end }} echo 'save ""'; echo 'appendonly no'; echo 'protected-mode no'; echo 'dir /tmp'; echo 'maxmemory-policy allkeys-lru'; } > /tmp/redis.conf
              exec redis-server /tmp/redis.conf
          ports:
            - { name: redis, containerPort: 6379 }
          {{- if $values.auth.enabled }}
          env:
            - name: REDIS_PASSWORD
              valueFrom:
                secretKeyRef: { name: {{ $values.auth.existingSecret }}, key: {{ $values.auth.key }} }
          {{- end }}
          startupProbe:
            tcpSocket: { port: redis }
            periodSeconds: 1
            failureThreshold: 60
          livenessProbe:
            tcpSocket: { port: redis }
            periodSeconds: 20
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            # Also "NOAUTH" is an answer.
            exec: { command: [redis-cli, ping] }
            periodSeconds: 5
            timeoutSeconds: 3
          resources:
            {{- include "survey-lib.resources" $values.resources | nindent 12 }}
          securityContext:
            {{- include "survey-lib.containerSecurity" . | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
      volumes:
        - name: tmp
          emptyDir: { sizeLimit: 16Mi }
